import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { formatAddress } from '@avm402/algorand/address';
import { assemble } from '@avm402/teal/assemble';
import { programAddress } from '@avm402/teal/program-address';
import algosdk from 'algosdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountOfApplication, type Devnode, startDevnode, traceGroup } from '../../src/index.ts';

let node: Devnode;
beforeAll(async () => {
  node = await startDevnode({ port: 0 });
});
afterAll(() => node.stop());

/** A payment that a program signs. */
async function signedByProgram(source: string, amount: bigint): Promise<Uint8Array> {
  const { program } = assemble(source);
  const sender = formatAddress(programAddress(program));
  await node.fund(sender, 1_000_000n);
  const txn: Transaction = {
    type: 'pay',
    sender,
    receiver: node.accounts.merchant.address,
    amount,
    fee: 1000n,
    firstValid: 1n,
    lastValid: 1000n,
    genesisHash: Uint8Array.from(Buffer.from(node.genesisHash, 'base64')),
    genesisId: node.genesisId,
  };
  return encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ l: program }) });
}

const LESS_THAN_TEN = '#pragma version 8\ntxn Amount\npushint 10\n<\n';

it('shows each instruction of a program with what it takes off the stack and leaves there', async () => {
  const { failure, programs } = await traceGroup(node, { transactions: [await signedByProgram(LESS_THAN_TEN, 3n)] });
  expect(failure).toBeUndefined();
  expect(programs).toEqual([
    {
      index: 0,
      cost: 3,
      steps: [
        { pc: 1, line: 'txn Amount', popped: 0, pushed: ['3'] },
        { pc: 3, line: 'pushint 10', popped: 0, pushed: ['10'] },
        { pc: 5, line: '<', popped: 2, pushed: ['1'] },
      ],
    },
  ]);
});

it('shows the steps of a program that refuses, and why the group fails', async () => {
  const { failure, programs } = await traceGroup(node, { transactions: [await signedByProgram(LESS_THAN_TEN, 30n)] });
  expect(failure).toContain('rejected by logic');
  expect(programs[0]?.steps.at(-1)).toMatchObject({ line: '<', pushed: ['0'] });
});

it('looks at the state after the round that it is told', async () => {
  const transactions = [await signedByProgram('#pragma version 8\nint 1\nreturn\n', 5n)];
  const round = node.latestRound;
  expect(await traceGroup(node, { transactions, round })).not.toHaveProperty('failure');
  expect((await traceGroup(node, { transactions, round: round - 1n })).failure).toContain('overspend');
});

it('tells apart a node that does not answer from one that refuses', async () => {
  const nothing = { transactions: [] };
  await expect(traceGroup({ url: 'http://127.0.0.1:1' }, nothing)).rejects.toMatchObject({ code: 'unreachable' });
  await expect(traceGroup({ url: node.url, token: 'wrong' }, nothing)).rejects.toMatchObject({ code: 'refused' });
});

it('shows the program of an application, and that of one that it creates', async () => {
  const inner = assemble('#pragma version 11\nint 1\n').program;
  const creating = assemble(`#pragma version 11
    itxn_begin
    int appl; itxn_field TypeEnum
    byte 0x${Buffer.from(inner).toString('hex')}; dup; itxn_field ApprovalProgram; itxn_field ClearStateProgram
    int 0; itxn_field Fee
    itxn_submit
    int 1`).program;
  const { addr: sender, sk } = algosdk.mnemonicToSecretKey(node.accounts.payer.mnemonic);
  const creation = algosdk.makeApplicationCreateTxnFromObject({
    sender,
    onComplete: algosdk.OnApplicationComplete.NoOpOC,
    approvalProgram: creating,
    clearProgram: inner,
    numGlobalInts: 0,
    numGlobalByteSlices: 0,
    numLocalInts: 0,
    numLocalByteSlices: 0,
    suggestedParams: {
      flatFee: true,
      fee: 2000n,
      minFee: 1000n,
      firstValid: 1n,
      lastValid: 1000n,
      genesisHash: Uint8Array.from(Buffer.from(node.genesisHash, 'base64')),
      genesisID: node.genesisId,
    },
  });
  await node.fund(accountOfApplication(1001n), 1_000_000n);
  const { failure, applications } = await traceGroup(node, { transactions: [creation.signTxn(sk)] });
  expect(failure).toBeUndefined();
  expect(applications.map(({ path, program, steps }) => ({ path, program, last: steps.at(-1)?.line }))).toEqual([
    { path: [0], program: 'approval', last: 'pushint 1' },
    { path: [0, 0], program: 'approval', last: 'pushint 1' },
  ]);
});
