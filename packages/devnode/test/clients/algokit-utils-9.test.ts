import { AlgorandClient, Config, microAlgos } from 'algokit-utils-9';
import { describeAlgokit } from './algokit-behaviour.ts';

Config.configure({ logger: Config.getLogger(true) });

describeAlgokit({
  version: '9.2.2',
  createClient({ url, token }) {
    const { origin, port } = new URL(url);
    return AlgorandClient.fromConfig({ algodConfig: { server: origin.replace(`:${port}`, ''), port, token } });
  },
  multisig(client, members) {
    const accounts = members.map(({ account }) => account);
    return client.account.multisig(
      { version: 1, threshold: 2, addrs: accounts.map(({ addr }) => addr) },
      accounts.slice(0, 2),
    );
  },
  microAlgos,
});
