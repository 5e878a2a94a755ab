import type { Account } from '@avm402/algorand/account';
import { decodeBase64 } from '@avm402/algorand/base64';
import { decodeTransaction } from '@avm402/algorand/transaction';
import type { Page } from 'playwright-core';

interface Asked {
  readonly txn: string;
  /** Empty: not to be signed. */
  readonly signers?: readonly string[];
}

/** Puts into a page what Lute's browser extension does there: it answers events, with an account's signatures. */
export async function installLute(page: Page, account: Account): Promise<void> {
  await page.exposeFunction('signForLute', (asked: readonly Asked[]) =>
    asked.map(({ txn, signers }) => {
      const bytes = decodeBase64(txn);
      return signers === undefined && bytes ? [...account.signTransaction(decodeTransaction(bytes))] : null;
    }),
  );
  await page.addInitScript((address) => {
    const signing = globalThis as unknown as { signForLute(asked: unknown): Promise<(number[] | null)[]> };
    const answer = (type: string, detail: object): void => void dispatchEvent(new CustomEvent(type, { detail }));
    Object.assign(globalThis, { lute: {} });
    const respond = async ({ action, txns }: { action: string; txns: unknown }): Promise<void> => {
      if (action === 'connect') return answer('connect-response', { action, addrs: [address] });
      const signed = await signing.signForLute(txns);
      answer('sign-txns-response', { action: 'signed', txns: signed.map((bytes) => bytes && new Uint8Array(bytes)) });
    };
    addEventListener('lute-connect', (event) => {
      // The library listens only once it has asked.
      setTimeout(() => void respond((event as CustomEvent<{ action: string; txns: unknown }>).detail));
    });
  }, account.address);
}
