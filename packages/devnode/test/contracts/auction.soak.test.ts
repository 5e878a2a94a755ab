import { expect, test } from 'vitest';
import { type Contract, describeContract } from './stage.ts';

const HOUR = 3600;

describeContract('an auction', (stage) => {
  const opened = async (): Promise<{ auction: Contract; asset: bigint }> => {
    const { creator, client } = stage();
    const auction = await stage().created('Auction', 200_000n);
    const made = { sender: creator, total: 1n, assetName: 'Painting', note: crypto.randomUUID() };
    const { assetId: asset } = await client.send.assetCreate(made);
    await auction.send.call({ ...stage().call(creator, 1), method: 'take', args: [asset] });
    const deposit = await stage().transfer(auction, asset, 1n, creator);
    const args = [deposit, 1000n, BigInt(HOUR)];
    await auction.send.call({ ...stage().call(creator), method: 'start', args });
    for (const bidder of [stage().caller, stage().other])
      await auction.send.optIn({ ...stage().call(bidder), method: 'enter', args: [] });
    return { auction, asset };
  };
  const bid = async (auction: Contract, bidder: string, amount: bigint) =>
    auction.send.call({
      ...stage().call(bidder),
      method: 'bid',
      args: [await stage().payment(auction, amount, bidder)],
    });

  test('takes higher bids only, and gives lower ones back', async () => {
    const { auction } = await opened();
    await expect(bid(auction, stage().caller, 1000n)).rejects.toThrow('the bid is not higher');
    await bid(auction, stage().caller, 2000n);
    await bid(auction, stage().other, 3000n);
    await bid(auction, stage().caller, 4000n);
    expect(await auction.state.local(stage().caller).getAll()).toMatchObject({ claimable: 6000n });
    const claimed = await auction.send.call({ ...stage().call(stage().caller, 1), method: 'claim_back', args: [] });
    expect(claimed.return).toBe(2000n);
    const other = await auction.send.call({ ...stage().call(stage().other, 1), method: 'claim_back', args: [] });
    expect(other.return).toBe(3000n);
  });

  test('ends by the time of the blocks', async () => {
    const { auction, asset } = await opened();
    const { caller, other, creator, node } = stage();
    await bid(auction, other, 5000n);
    const claim = () => auction.send.call({ ...stage().call(other, 1), method: 'claim_asset', args: [asset] });
    await expect(claim()).rejects.toThrow('the auction goes on');
    await node.increaseTime(HOUR);
    // A program reads the time of the block before its own.
    await node.mine();
    await expect(bid(auction, caller, 6000n)).rejects.toThrow('the auction has ended');
    await expect(claim()).rejects.toThrow('must optin');
    await stage().client.send.assetOptIn({ sender: other, assetId: asset });
    await claim();
    expect(stage().assets(other, asset)).toBe(1n);
    await auction.send.delete({ ...stage().call(creator, 1), method: 'end', args: [] });
    expect(stage().algos(auction.appAddress)).toBe(0n);
  });

  test('is known to the indexer with its deposits and logs', async () => {
    const { auction, asset } = await opened();
    await bid(auction, stage().other, 5000n);
    const indexer = stage().node.indexerUrl;
    const json = async (path: string) => (await fetch(`${indexer}${path}`)).json();
    const { application } = await json(`/v2/applications/${auction.appId}`);
    expect(application).toMatchObject({ deleted: false, params: { creator: stage().creator } });
    const { 'apps-local-states': states } = await json(
      `/v2/accounts/${stage().other}/apps-local-state?application-id=${auction.appId}`,
    );
    expect(states[0]['key-value']).toEqual([{ key: btoa('claimable'), value: { bytes: '', type: 2, uint: 5000 } }]);
    const { transactions } = await json(`/v2/transactions?application-id=${auction.appId}`);
    expect(transactions).toHaveLength(6);
    expect(asset).toBeGreaterThan(1000n);
  });
});
