/** algod's defaults, except that two interfaces for developers are on and more of the past is kept. */
export const DEFAULT_CONFIG = {
  Archival: false,
  // Differs from algod: interfaces-on
  EnableDeveloperAPI: true,
  EnableExperimentalAPI: true,
  EnablePrivateNetworkAccessHeader: false,
  DisableAPIAuth: false,
  EnableTxnEvalTracer: false,
  MaxAPIResourcesPerAccount: 100_000,
  MaxAPIBoxPerApplication: 100_000,
  MaxAcctLookback: 4,
  // Differs from algod: longer-past
  MaxBlockHistoryLookback: 100_000,
  TxPoolSize: 75_000,
  TxBacklogSize: 26_000,
  RestConnectionsSoftLimit: 1024,
  RestConnectionsHardLimit: 2048,
  RestReadTimeoutSeconds: 15,
};

/** The node's settings, under the keys of algod's config.json. */
export type AlgodConfig = Readonly<typeof DEFAULT_CONFIG>;
