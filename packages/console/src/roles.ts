/** The addresses of the roles that the console shows. Tokens and keys stay in its server. */
export interface Roles {
  readonly algod: { readonly url: string; readonly token: string };
  readonly facilitator: {
    readonly url: string;
    /** A seller's or operator's key; without it the ledger can't be read. */
    readonly key?: string;
  };
  /** A paid resource, e.g. `http://127.0.0.1:4021/weather`. */
  readonly resource: { readonly url: string };
}
