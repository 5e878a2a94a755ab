/** The module that bundlers get: the package's own types describe its module for `require`. */
declare module 'lute-connect' {
  import type { WalletMember } from '@avm402/client/mandate';

  export default class LuteConnect {
    /** @param siteName - what the wallet calls the page */
    constructor(siteName: string);
    /** Asks for leave; resolves to the accounts. */
    connect(genesisId: string): Promise<string[]>;
    /** Null for members that it does not sign. */
    signTxns(members: readonly WalletMember[]): Promise<(Uint8Array | null)[]>;
  }
}
