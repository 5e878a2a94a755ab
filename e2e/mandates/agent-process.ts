// One of several processes with an agent's key: buys a few times, and prints what came of each.
import { accountFromSeed } from '@avm402/algorand/account';
import { createPayer, settlementOf } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { isX402Error } from '@avm402/core/errors';
import { AGENT_SEED } from '@avm402/stack/open-mandate';

const [shop = '', url = '', token = '', mandate = '', purchases = '', name = String(process.pid), path] =
  process.argv.slice(2);
const outcomeOf = async (work: () => Promise<string>): Promise<string> => {
  try {
    return await work();
  } catch (error) {
    return isX402Error(error) ? error.code : String(error);
  }
};
const buyAll = async (): Promise<string[]> => {
  const journal = path === undefined ? undefined : await openFileJournal(path, { lockTimeoutMs: 500 });
  const payer = createPayer({
    mandate: JSON.parse(mandate),
    agentKey: accountFromSeed(AGENT_SEED),
    networks: { 'algorand:*': { url, token } },
    ...(journal && { journal }),
  });
  const buy = async (index: number): Promise<string> => {
    const response = await payer.fetch(`${shop}/joke?process=${name}&n=${index}`);
    await response.text();
    return response.status === 200 ? (settlementOf(response)?.transaction ?? '') : String(response.status);
  };
  const indexes = Array.from({ length: Number(purchases) }, (_, index) => index);
  const outcomes = await Promise.all(indexes.map((index) => outcomeOf(() => buy(index))));
  await journal?.close();
  return outcomes;
};
const outcomes = await buyAll().catch((error: unknown) => [isX402Error(error) ? error.code : String(error)]);
console.log(JSON.stringify(outcomes));
