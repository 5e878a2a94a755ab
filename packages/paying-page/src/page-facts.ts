/** What the page knows of a network that is offered. */
export interface PageNetwork {
  readonly name: string;
  readonly genesisId?: string;
  /** Standard base64. */
  readonly genesisHash?: string;
  /** The algod that the page asks for rounds, and what became of a payment. */
  readonly algod: { readonly url: string; readonly token?: string };
  /** Whether the embedded node's accounts, whose keys are public, may pay. */
  readonly hasDevelopmentAccounts: boolean;
}

/** What `payingPage` tells the script. */
export interface PageSettings {
  /** By their canonical CAIP-2 ids. */
  readonly networks: Readonly<Record<string, PageNetwork>>;
  /** Name of the file in which HTML is shown. */
  readonly frame: string;
}
