/** The page's settings for one offered network. */
export interface PageNetwork {
  readonly name: string;
  readonly genesisId?: string;
  /** Standard base64. */
  readonly genesisHash?: string;
  /** The algod that the page asks for rounds and for the outcome of a payment. */
  readonly algod: { readonly url: string; readonly token?: string };
  /** Whether the embedded node's accounts, whose keys are public, may pay. */
  readonly hasDevelopmentAccounts: boolean;
}

/** The settings that `payingPage` passes to the script. */
export interface PageSettings {
  /** Networks by canonical CAIP-2 id. */
  readonly networks: Readonly<Record<string, PageNetwork>>;
  /** Name of the file that shows paid HTML. */
  readonly frame: string;
}

/** What HTML that was paid for may do: nothing in the name of the seller, whose page and wallets it must not reach. */
export const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads';
