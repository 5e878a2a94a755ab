// Runs in the page: a paying fetch.
import { createPayingFetch, settlementOf } from '@avm402/client';
import { countingWallet } from './wallet.ts';

export interface PageResult {
  readonly status: number;
  readonly body: unknown;
  readonly transaction: string | undefined;
  /** How often the wallet was asked. */
  readonly asked: number;
}

declare global {
  interface Window {
    pay(url: string, algod: { url: string; token: string }, secret: string): Promise<PageResult>;
    /** Called before the body of an answer is read, if a test exposes it. */
    beforeReading?(): Promise<void>;
  }
}

globalThis.window.pay = async (url, algod, secret) => {
  const { wallet, asked } = countingWallet(secret);
  const fetchPaid = createPayingFetch({ account: wallet, networks: { 'algorand:*': algod } });
  const response = await fetchPaid(url);
  await globalThis.window.beforeReading?.();
  const body: unknown = await response.json();
  return { status: response.status, body, transaction: settlementOf(response)?.transaction, asked: asked() };
};
