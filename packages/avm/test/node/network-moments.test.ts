import { expect, it, onTestFinished } from 'vitest';
import { ALGORAND_TESTNET, type Network } from '@avm402/core/network';
import { NetworkMoments } from '../../src/node/network-moments.ts';
import { startParamsServer } from '../exact/client/params-server.ts';

it('an id that begins as a network and ends as none is refused, and the network is paid on as before', async () => {
  const server = await startParamsServer();
  onTestFinished(() => server.stop());
  const moments = new NetworkMoments({ algod: () => server.algod, now: () => 0 });
  const invented: Network = `${ALGORAND_TESTNET}xxxxxxxxxxx=`;
  for (const _ of [1, 2]) {
    await expect(moments.current(invented)).rejects.toMatchObject({ code: 'network_mismatch' });
    await expect(moments.current(ALGORAND_TESTNET)).resolves.toMatchObject({ params: { lastRound: 5000n } });
  }
});
