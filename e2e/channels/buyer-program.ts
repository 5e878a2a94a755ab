// A buyers' process: each pays through a channel, one request after another, until the process is killed.
import { setTimeout as pause } from 'node:timers/promises';
import { parseAccount } from '@avm402/algorand/account';
import { createPayer, isX402Error, settlementOf } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';

export interface Buyer {
  readonly name: string;
  readonly privateKey: string;
  /** File of its channels. */
  readonly store: string;
}

export interface BuyerJob {
  readonly url: string;
  readonly algod: { readonly url: string; readonly token: string };
  readonly buyers: readonly Buyer[];
}

const MOST_DAYS = 14;
/** How long a buyer recovers: a server that was killed is back before. */
const RECOVER_MS = 60_000;
const REST_MS = 50;

// The test wrote it.
const { url, algod, buyers } = JSON.parse(process.env['JOB'] ?? '') as BuyerJob;
console.log(`buyer listening on ${url}`);
await Promise.all(buyers.map(buy));

async function buy({ name, privateKey, store: path }: Buyer): Promise<void> {
  const store = await openFileChannelStore(path);
  const payer = createPayer({
    account: parseAccount(privateKey),
    networks: { 'algorand:*': algod },
    channels: { store },
    preempt: true,
    recoverMs: RECOVER_MS,
  });
  for (let answered = 0; ;) {
    const days = 1 + (answered % MOST_DAYS);
    console.log(`asked ${name} ${days}`);
    const outcome = await ask(payer.fetch, `${url}?days=${days}`);
    console.log(`${outcome.kind} ${name} ${outcome.what}`);
    if (outcome.kind === 'answered') answered++;
    else await pause(REST_MS);
  }
}

async function ask(fetchPaid: typeof fetch, target: string): Promise<{ kind: 'answered' | 'failed'; what: string }> {
  try {
    const response = await fetchPaid(target);
    const body = await response.text();
    const charged = settlementOf(response)?.extra?.['chargedAmount'];
    if (!response.ok) return { kind: 'failed', what: `HTTP ${response.status} ${body.slice(0, 200)}` };
    return { kind: 'answered', what: String(charged) };
  } catch (error) {
    return { kind: 'failed', what: isX402Error(error) ? error.code : `unsent ${String(error)}` };
  }
}
