// Pays one cent after another, with a journal and a budget, until it is killed. Run by journal-kill.ts.
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';

const [url = '', algodUrl = '', token = '', file = '', secret = '', perDay = ''] = process.argv.slice(2);
const journal = await openFileJournal(file, { lockTimeoutMs: 5_000 });
const fetchPaid = createPayingFetch({
  account: parseAccount(secret),
  networks: { 'algorand:*': { url: algodUrl, token } },
  spend: { perDay },
  journal,
});
process.stdout.write('paying\n');
for (let request = 0; ; request++) {
  try {
    await (await fetchPaid(`${url}/${process.pid}/${request}`)).arrayBuffer();
    process.stdout.write('paid\n');
  } catch (error) {
    process.stdout.write(`${String(error)}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
