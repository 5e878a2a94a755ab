import { describe, expect, it } from 'vitest';
import { algodRefusal, parseAlgodRefusal } from '../src/algod-refusal.ts';
import { AlgorandError } from '../src/errors.ts';

const REMEMBER = 'TransactionPool.Remember: transaction ';

/** Recorded from algod v5.0.0, but for the last group: those need a network, and are quoted from its documentation. */
describe('what algod says', () => {
  it.each([
    [
      'TransactionPool.Remember: txn dead: round 12 outside of 13--110',
      { kind: 'outside_window', round: 12n, firstValid: 13n, lastValid: 110n },
    ],
    [
      'TransactionPool.Remember: transaction already in ledger: 7VJHNCUBGLIHRCEOXJZSKN54B46T4YWQAIIABLRXIXMSBAUS5ZEA',
      { kind: 'already_in_ledger' },
    ],
    [
      `${REMEMBER}RMYY5JIGJV2LZTTLIA6D73B4IDTKK7YA44JBMO6BPNN4P4GRAK6Q using an overlapping lease (sender, lease):(7F6DJ7TEKROZ3KFXSBK2FT6AKAHBRAXZ5HLPPAOMLLYEG5FEYSEXBNBKXA, AEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQC5RZKU)`,
      { kind: 'lease_held' },
    ],
    [
      `${REMEMBER}RMYY5JIGJV2LZTTLIA6D73B4IDTKK7YA44JBMO6BPNN4P4GRAK6Q: overspend (account 7F6DJ7TEKROZ3KFXSBK2FT6AKAHBRAXZ5HLPPAOMLLYEG5FEYSEXBNBKXA, data {AccountBaseData:{Status:Offline MicroAlgos:0.0A`,
      { kind: 'insufficient_balance', account: '7F6DJ7TEKROZ3KFXSBK2FT6AKAHBRAXZ5HLPPAOMLLYEG5FEYSEXBNBKXA' },
    ],
    [
      `${REMEMBER}2HAH35EZZISTD754KP2ZFQFELHPAPCFCZ4KP2UCXE3CCIKZ622GQ: account AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ balance 7 below min 100000 (0 assets)`,
      { kind: 'insufficient_balance', account: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ' },
    ],
    [
      `${REMEMBER}RIR5HTLRFRJS7R6Q5C4UEKBLO3YUDQAGXQEL2N2VEQSOUQFGQFZQ: underflow on subtracting 101 from sender amount 100`,
      { kind: 'insufficient_balance' },
    ],
    [
      `${REMEMBER}PLMJ5UUVIJNCPPE6RZYQC2BWB7BVXHDUDCKYYHJLU46ABS2NCQLQ: receiver error: must optin, asset 1001 missing from 5AN3FGQ7N25TKLT3SHPQK4P3FK22D7NKMA3OKVCWVFYHAOP4Z4TJ76H6YU`,
      { kind: 'receiver_not_opted_in' },
    ],
    [
      `${REMEMBER}PC7HOPFS2E7FE5NRBQB7UER5D7TZRX2MNMLCLNRIJLMQ2WJCBGRA: asset 999 missing from 5AN3FGQ7N25TKLT3SHPQK4P3FK22D7NKMA3OKVCWVFYHAOP4Z4TJ76H6YU`,
      { kind: 'not_opted_in' },
    ],
    [
      `${REMEMBER}SJ6YBHHSPECQHYHSTOVZY277T3R6XL7JTCADGLGQ7GIDTG7WP4CQ: asset 1010 frozen in QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4`,
      { kind: 'asset_frozen' },
    ],
    [
      `${REMEMBER}4BJCH7IRE7P7E6WLE6ZOTQENMVTZK4O5GO6HZU5W4FCCVAINON3Q: should have been authorized by RIP4ADYADXAZLUHIHURNZDCWSWGA5U5FDPRO4N4SL7JNCVUC75QB6V6CXE but was actually authorized by QBEG4IWL3Q52OMBC4NBIITABNHLV2XHH3HDAUYTVW4W4I3SJCDP5F6ZQP4`,
      { kind: 'wrong_authorizer', txId: '4BJCH7IRE7P7E6WLE6ZOTQENMVTZK4O5GO6HZU5W4FCCVAINON3Q' },
    ],
    ["At least one signature didn't pass verification", { kind: 'invalid_signature' }],
    [
      'TransactionPool.Remember: txgroup with 1.999mA fees is less than 2mA (usage=2.000000 * base=1mA)',
      { kind: 'fee_too_low' },
    ],
    [
      `${REMEMBER}3A47SYDJQCMK54LMJTN75HZ5KN7IRYJAMQFRZ7JKJT3GGJLFV37Q: asset 999 does not exist or has been deleted`,
      { kind: 'other' },
    ],
    ['empty txgroup', { kind: 'other' }],
    [
      'could not find the transaction in the transaction pool or in the last 1000 confirmed rounds',
      { kind: 'not_found' },
    ],
    ['account asset info not found', { kind: 'not_found' }],
    ['asset does not exist', { kind: 'not_found' }],
    ['TransactionPool.checkPendingQueueSize: transaction pool has reached capacity', { kind: 'node_takes_none' }],
    ['TransactionPool.Remember: no pending block evaluator', { kind: 'node_takes_none' }],
    ['TransactionPool.Remember: fee 0 below threshold 289 (1 per byte * 289 bytes)', { kind: 'node_takes_none' }],
    ['broadcast queue full', { kind: 'not_passed_on' }],
  ])('in "%s"', (text, reason) => {
    expect(parseAlgodRefusal(text)).toEqual({ ...reason, text });
  });
});

describe('an error of an algod client', () => {
  const refused = (status: number, reason?: string): AlgorandError =>
    new AlgorandError('algod_refused', 'no', { status, ...(reason === undefined ? {} : { reason }) });

  it('tells a refusal if algod judged what was sent', () => {
    expect(algodRefusal(refused(400, 'broadcast queue full'))).toMatchObject({ kind: 'not_passed_on' });
    expect(algodRefusal(refused(400))).toEqual({ kind: 'other', text: '' });
    expect(algodRefusal(refused(404, 'asset does not exist'), 404)).toMatchObject({ kind: 'not_found' });
  });

  it('tells none if something else is wrong', () => {
    expect(algodRefusal(refused(404, 'asset does not exist'))).toBeUndefined();
    expect(algodRefusal(refused(503, 'broadcast queue full'))).toBeUndefined();
    expect(algodRefusal(new AlgorandError('algod_timeout', 'broadcast queue full', { status: 400 }))).toBeUndefined();
    expect(algodRefusal(new Error('broadcast queue full'))).toBeUndefined();
  });
});
