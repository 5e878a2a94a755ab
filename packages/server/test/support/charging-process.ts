// Charges five channels for ever, all at once, and prints each charge once it is on record. For tests that kill it.
import { createPostgresChannelStore } from '../../src/postgres.ts';
import { createSqliteChannelStore } from '../../src/sqlite.ts';
import { channel, charging } from './channels.ts';

const [place = ''] = process.argv.slice(2);
const store = place.startsWith('postgres:')
  ? createPostgresChannelStore({ url: place })
  : createSqliteChannelStore({ path: place });
let channels = [1, 2, 3, 4, 5].map((number) => channel(number));
await store.write(channels.map((next) => ({ next })));
// Whoever is to kill it may be gone.
for (let amount = 1n; amount <= 10_000n; amount++) {
  const changes = channels.map((known) => charging(known, amount));
  const outcomes = await store.write(changes);
  if (outcomes.some((outcome) => outcome !== 'stored')) throw new Error(`not stored: ${outcomes.join()}`);
  channels = changes.map(({ next }) => next);
  process.stdout.write(`${amount}\n`);
}
