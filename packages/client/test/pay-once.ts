// Asks for one URL, pays it with a journal and prints the answer. Run by kill-and-ask-again.test.ts, which kills it.
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';

const [url = '', algodUrl = '', token = '', file = '', secret = '', ...more] = process.argv.slice(2);
const journal = await openFileJournal(file, { lockTimeoutMs: 5_000, keepProofs: !more.includes('--no-proofs') });
const fetchPaid = createPayingFetch({
  account: parseAccount(secret),
  networks: { 'algorand:*': { url: algodUrl, token } },
  journal,
});
const response = await fetchPaid(url, { method: 'POST', body: 'the same' });
process.stdout.write(`${response.status} `);
process.stdout.write(`${await response.text()}\n`);
await journal.close();
