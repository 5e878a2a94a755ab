// One of several processes with an agent's key: buys a few times, and prints what came of each.
import { accountFromSeed } from '@avm402/algorand/account';
import { createPayer, settlementOf } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { AGENT_SEED } from '@avm402/stack/open-mandate';

const [shop = '', url = '', token = '', mandate = '', purchases = ''] = process.argv.slice(2);
const payer = createPayer({
  mandate: JSON.parse(mandate),
  agentKey: accountFromSeed(AGENT_SEED),
  networks: { 'algorand:*': { url, token } },
});
const buy = async (index: number): Promise<string> => {
  try {
    const response = await payer.fetch(`${shop}/joke?process=${process.pid}&n=${index}`);
    return response.status === 200 ? (settlementOf(response)?.transaction ?? '') : String(response.status);
  } catch (error) {
    return isX402Error(error) ? error.code : String(error);
  }
};
console.log(JSON.stringify(await Promise.all(Array.from({ length: Number(purchases) }, (_, index) => buy(index)))));
