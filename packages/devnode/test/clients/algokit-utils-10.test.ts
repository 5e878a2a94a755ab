import type { AlgorandClient as AlgorandClient9 } from 'algokit-utils-9';
import { AlgorandClient, Config, microAlgos } from 'algokit-utils-10';
import { describeAlgokit, type AlgoAmount } from './algokit-behaviour.ts';

Config.configure({ logger: Config.getLogger(true) });

describeAlgokit({
  version: '10.0.0-beta.4',
  createClient({ url, token }) {
    const { origin, port } = new URL(url);
    const server = origin.replace(`:${port}`, '');
    const client = AlgorandClient.fromConfig({ algodConfig: { server, port, token } });
    // The calls that the tests make are the same in both versions; the classes behind them are not.
    return client as unknown as AlgorandClient9;
  },
  multisig(client, members) {
    const { account } = client as unknown as AlgorandClient;
    const signers = members as unknown as readonly ReturnType<typeof account.random>[];
    return account.multisig({ version: 1, threshold: 2, addrs: signers.map(({ addr }) => addr) }, signers.slice(0, 2));
  },
  microAlgos: (amount) => microAlgos(amount) as unknown as AlgoAmount,
});
