// Pays one cent after another through a channel, several at once, until it is killed. Run by channel-kill.ts.
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';
import { openFileJournal } from '@avm402/client/file-journal';

const [url = '', algodUrl = '', token = '', folder = '', secret = ''] = process.argv.slice(2);
const journal = await openFileJournal(`${folder}/payments.jsonl`, { lockTimeoutMs: 5_000 });
const store = await openFileChannelStore(`${folder}/channels.jsonl`, { lockTimeoutMs: 5_000 });
const fetchPaid = createPayingFetch({
  account: parseAccount(secret),
  networks: { 'algorand:*': { url: algodUrl, token } },
  spend: { perDay: '$3' },
  channels: { store, depositMultiple: 40 },
  journal,
});
process.stdout.write('paying\n');
async function pay(lane: number): Promise<never> {
  for (let request = 0; ; request++) {
    try {
      await (await fetchPaid(`${url}/${process.pid}/${lane}/${request}`)).arrayBuffer();
      process.stdout.write('paid\n');
    } catch (error) {
      process.stdout.write(`${String(error)}\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
await Promise.all([0, 1, 2].map(pay));
