import { expect, test } from 'vitest';
import { type Contract, describeContract } from './stage.ts';

describeContract('a guest book, written in TypeScript', (stage) => {
  const sign = async (book: Contract, line: string) =>
    book.send.call({
      ...stage().call(stage().caller, 1),
      method: 'sign',
      args: [await stage().payment(book, 30_000n), line],
    });

  test('keeps a line for each guest in a box', async () => {
    const book = await stage().created('Guestbook', 200_000n);
    const signed = await sign(book, 'I was here');
    expect(signed.return).toBe(1n);
    expect(signed.confirmation.innerTxns).toHaveLength(1);
    expect(signed.confirmation.logs).toHaveLength(2);
    const line = await book.send.call({ method: 'line', args: [stage().caller] });
    expect(line.return).toBe('I was here');
    await expect(sign(book, 'again')).rejects.toThrow('each guest signs once');
    await expect(book.send.call({ method: 'line', args: [stage().other] })).rejects.toThrow('no such guest');
  });
});
