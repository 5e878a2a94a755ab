import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ACCOUNT_1, ACCOUNT_2, hexOf } from './keys.ts';

const PAYMENT = {
  type: 'pay' as const,
  sender: ACCOUNT_1.address,
  receiver: ACCOUNT_2.address,
  amount: 1n,
  fee: 1000n,
  firstValid: 1n,
  lastValid: 2n,
  genesisHash: new Uint8Array(32).fill(9),
};

/** Runs without Node's globals, like a browser; console is the only thing left to speak with. */
const PROGRAM = `
  for (const name of ['process', 'Buffer', 'global', 'require']) delete globalThis[name];
  const { accountFromSeed } = await import('@avm402/algorand/account');
  const { verify } = await import('@avm402/algorand/ed25519');
  const { createAlgodClient } = await import('@avm402/algorand/algod');
  const { decodeSignedTransaction } = await import('@avm402/algorand/signed-transaction');
  const { transactionSigningBytes } = await import('@avm402/algorand/transaction');
  createAlgodClient({ url: 'http://localhost:4001' });
  const account = accountFromSeed(Uint8Array.from({ length: 32 }, (_, index) => index));
  const signed = account.signTransaction({
    type: 'pay', sender: account.address, receiver: '${ACCOUNT_2.address}', amount: 1n, fee: 1000n,
    firstValid: 1n, lastValid: 2n, genesisHash: new Uint8Array(32).fill(9),
  });
  const { txn, signature } = decodeSignedTransaction(signed);
  console.log(typeof process, verify(account.publicKey, transactionSigningBytes(txn), signature));
  console.log([...signed].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
`;

test('without Node everything works the same, through noble', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  expect(stdout).toBe(`undefined true\n${hexOf(ACCOUNT_1.signTransaction(PAYMENT))}\n`);
});
