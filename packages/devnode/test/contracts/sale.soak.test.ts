import { expect, test } from 'vitest';
import { type Contract, describeContract } from './stage.ts';

describeContract('a sale of a token', (stage) => {
  const opened = async (): Promise<{ sale: Contract; token: bigint }> => {
    const sale = await stage().created('Sale');
    const minted = await sale.send.call({
      ...stage().call(stage().creator, 1),
      method: 'mint',
      args: ['Ticket', 100n, 500n],
    });
    const token = minted.return as bigint;
    await stage().client.send.assetOptIn({ sender: stage().caller, assetId: token });
    return { sale, token };
  };
  const buy = async (sale: Contract, amount: bigint, inner = 2, method = 'buy') =>
    sale.send.call({ ...stage().call(stage().caller, inner), method, args: [await stage().payment(sale, amount)] });

  test('mints its token once, by an inner transaction', async () => {
    const { sale, token } = await opened();
    expect(await stage().client.asset.getById(token)).toMatchObject({
      total: 100n,
      assetName: 'Ticket',
      unitName: 'SALE',
    });
    expect(stage().assets(sale.appAddress, token)).toBe(100n);
    const again = sale.send.call({ ...stage().call(stage().creator, 1), method: 'mint', args: ['Again', 1n, 1n] });
    await expect(again).rejects.toThrow('the token exists');
  });

  test('sends tokens for a payment, and the change back', async () => {
    const { sale, token } = await opened();
    const before = stage().algos(stage().caller);
    const bought = await buy(sale, 1700n);
    expect(bought.return).toBe(3n);
    expect(stage().assets(stage().caller, token)).toBe(3n);
    const fees = 2000n + 2000n;
    expect(stage().algos(stage().caller)).toBe(before - 1500n - fees);
    const inner = bought.confirmation.innerTxns?.map(({ txn }) => txn.txn.type);
    expect(inner).toEqual(['axfer', 'pay']);
  });

  test('sends two transfers in one inner group', async () => {
    const { sale, token } = await opened();
    const { confirmation } = await buy(sale, 4000n, 2, 'buyTwice' in sale ? 'buyTwice' : 'buy_twice');
    expect(confirmation.innerTxns).toHaveLength(2);
    const groups = confirmation.innerTxns?.map(({ txn }) => Buffer.from(txn.txn.group ?? []).toString('hex'));
    expect(groups?.[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(groups?.[0]).toBe(groups?.[1]);
    expect(stage().assets(stage().caller, token)).toBe(8n);
  });

  test('changes nothing when its group fails', async () => {
    const { sale, token } = await opened();
    const before = stage().algos(stage().caller);
    await expect(buy(sale, 499n)).rejects.toThrow('the payment buys no token');
    await expect(buy(sale, 60_000n)).rejects.toThrow(/underflow on subtracting 120 from sender amount 100/);
    await expect(buy(sale, 1700n, 0)).rejects.toThrow(/group fee .* too small/);
    expect(stage().algos(stage().caller)).toBe(before);
    expect(stage().assets(stage().caller, token)).toBe(0n);
  });

  test('pays for its own transactions if the client finds out what they cost', async () => {
    const { sale } = await opened();
    const paid = await sale.send.call({
      sender: stage().caller,
      note: crypto.randomUUID(),
      maxFee: stage().microAlgos(10_000n),
      coverAppCallInnerTransactionFees: true,
      method: 'buy',
      args: [await stage().payment(sale, 1700n)],
    });
    expect(paid.transaction.fee).toBe(3000n);
  });

  test('pays its creator what it can spare, and closes', async () => {
    const { sale, token } = await opened();
    await buy(sale, 50_000n);
    const withdrawn = await sale.send.call({ ...stage().call(stage().creator, 1), method: 'withdraw', args: [] });
    expect(withdrawn.return).toBe(1_000_000n + 50_000n - 200_000n);
    const early = sale.send.delete({ ...stage().call(stage().creator, 2), method: 'close', args: [] });
    await expect(early).rejects.toThrow('cannot destroy asset: creator is holding only 0/100');
    const back = { sender: stage().caller, receiver: sale.appAddress, assetId: token, amount: 100n };
    await stage().client.send.assetTransfer(back);
    await sale.send.delete({ ...stage().call(stage().creator, 2), method: 'close', args: [] });
    expect(stage().algos(sale.appAddress)).toBe(0n);
  });
});
