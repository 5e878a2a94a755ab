/** The fixed facts about one Algorand network. */
export interface AlgorandNetwork {
  readonly name: string;
  readonly genesisId: string;
  /** Standard base64 of 32 bytes, 44 characters. */
  readonly genesisHash: string;
  readonly usdcAssetId: bigint;
}

export const MAINNET: AlgorandNetwork = {
  name: 'MainNet',
  genesisId: 'mainnet-v1.0',
  genesisHash: 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=',
  usdcAssetId: 31566704n,
};

export const TESTNET: AlgorandNetwork = {
  name: 'TestNet',
  genesisId: 'testnet-v1.0',
  genesisHash: 'SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=',
  usdcAssetId: 10458941n,
};

/**
 * The embedded development node. Its genesis never changes, while AlgoKit's LocalNet gets a new one with every reset.
 */
export const LOCALNET: AlgorandNetwork = {
  name: 'LocalNet',
  genesisId: 'dockernet-v1',
  genesisHash: 'Nrdkyo1LQdTb5Hww5aFisgkfjo0c0CGA/3+GJ+9Py0Y=',
  usdcAssetId: 10458941n,
};

/** Where the embedded development node listens, and AlgoKit LocalNet's algod. */
export const DEVELOPMENT_ALGOD = { url: 'http://127.0.0.1:4001', token: 'a'.repeat(64) };

const DEVELOPMENT_GENESIS_IDS: ReadonlySet<string> = new Set(['dockernet-v1', 'devnet-v1', 'sandnet-v1']);

/** Whether a genesis id is one that development networks use. Their rounds advance only when something is sent. */
export function isDevelopmentGenesisId(genesisId: string): boolean {
  return DEVELOPMENT_GENESIS_IDS.has(genesisId);
}

/** The known network with this genesis hash (standard base64). */
export function networkByGenesisHash(genesisHash: string): AlgorandNetwork | undefined {
  return [MAINNET, TESTNET, LOCALNET].find((network) => network.genesisHash === genesisHash);
}
