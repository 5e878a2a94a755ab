import { decodeBase64 } from '@avm402/algorand/base64';

import { multisigAddress, signMultisig } from '@avm402/algorand/multisig';
import { LOCALNET } from '@avm402/algorand/networks';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId, transactionSigningBytes } from '@avm402/algorand/transaction';
import { accountFromSeed } from '@avm402/algorand/account';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { describe, expect, it } from 'vitest';
import { checkPaymentOffline } from '../../../src/exact/check-payment-offline.ts';
import {
  feePayment,
  grouped,
  lonePayment,
  payer,
  payloadOf,
  reasonFor,
  requirements,
  sponsor,
  sponsoredPayment,
  stranger,
  transfer,
  unsponsored,
} from './payment-fixture.ts';

const elsewhere = decodeBase64(LOCALNET.genesisHash) ?? new Uint8Array();
const random32 = new Uint8Array(32).fill(9);

describe('a right payment', () => {
  it('is accepted with a fee payer, and described', () => {
    const payload = sponsoredPayment();
    const payment = checkPaymentOffline(payload, requirements);
    const [, axfer] = grouped(feePayment, transfer);
    expect(payment).toMatchObject({
      txId: transactionId(axfer),
      payer: payer.address,
      signer: payer.address,
      firstValid: 100n,
      lastValid: 200n,
      sponsored: true,
      note: transfer.note,
    });
    expect(payment.groupDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is accepted without a fee payer, whether or not one was offered', () => {
    expect(checkPaymentOffline(lonePayment(), unsponsored).sponsored).toBe(false);
    expect(reasonFor({ ...lonePayment(), accepted: requirements })).toBe('accepted');
  });

  it('may name the network by any of its spellings', () => {
    const long = { ...requirements, network: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=' as const };
    expect(reasonFor(sponsoredPayment(), long)).toBe('accepted');
  });

  it('may carry the unsigned fee payment as {txn}, as some SDKs do', () => {
    const [fee, axfer] = grouped(feePayment, transfer);
    const wrapped = payloadOf([encodeSignedTransaction({ txn: fee }), payer.signTransaction(axfer)]);
    expect(reasonFor(wrapped)).toBe('accepted');
    const bare = checkPaymentOffline(sponsoredPayment(), requirements);
    const same = checkPaymentOffline(wrapped, requirements);
    expect(same.txId).toBe(bare.txId);
    expect(same.groupDigest).not.toBe(bare.groupDigest);
  });

  it('may add to, or keep little of, the extra of the offer', () => {
    const accepted = { ...requirements, extra: { feePayer: sponsor.address, decimals: 6 } };
    expect(reasonFor({ ...sponsoredPayment(), accepted })).toBe('accepted');
    const required = { ...requirements, extra: { feePayer: sponsor.address, name: 'USDC' } };
    expect(reasonFor(sponsoredPayment(), required)).toBe('accepted');
  });

  it('may have a note of 1024 bytes', () => {
    expect(reasonFor(lonePayment({ note: new Uint8Array(1024).fill(1) }), unsponsored)).toBe('accepted');
  });

  it('may be the longest window there is', () => {
    expect(reasonFor(lonePayment({ lastValid: 1100n }), unsponsored)).toBe('accepted');
  });
});

describe('the authorizer', () => {
  it('may be the key that a rekeyed payer names', () => {
    const rekeyed = accountFromSeed(new Uint8Array(32).fill(4), { address: payer.address });
    const payment = checkPaymentOffline(sponsoredPayment({}, rekeyed), requirements);
    expect(payment).toMatchObject({ payer: payer.address, signer: stranger.address });
  });

  const parameters = { version: 1, threshold: 2, publicKeys: [payer.publicKey, sponsor.publicKey, stranger.publicKey] };
  const multisigPayment = (signers: (typeof payer)[], sender = multisigAddress(parameters)): PaymentPayload => {
    const txn = { ...transfer, fee: 1000n, sender };
    const message = transactionSigningBytes(txn);
    const signatures = signers.map((signer) => signMultisig(parameters, message, signer));
    const subsignatures = parameters.publicKeys.map((publicKey, index) => {
      const signature = signatures.map((one) => one.subsignatures[index]?.signature).find(Boolean);
      return signature === undefined ? { publicKey } : { publicKey, signature };
    });
    const multisig = { version: 1, threshold: 2, subsignatures };
    return payloadOf([encodeSignedTransaction({ txn, multisig })], unsponsored);
  };

  it('may be a multisig with enough signatures', () => {
    expect(reasonFor(multisigPayment([payer, stranger]), unsponsored)).toBe('accepted');
  });

  it('may be a multisig with sixteen signatures, and not with seventeen', () => {
    const ofMany = (count: number): PaymentPayload => {
      const many = { version: 1, threshold: count, publicKeys: Array.from({ length: count }, () => payer.publicKey) };
      const txn = { ...transfer, fee: 1000n, sender: multisigAddress(many) };
      const multisig = signMultisig(many, transactionSigningBytes(txn), payer);
      return payloadOf([encodeSignedTransaction({ txn, multisig })], unsponsored);
    };
    expect(reasonFor(ofMany(16), unsponsored)).toBe('accepted');
    expect(reasonFor(ofMany(17), unsponsored)).toBe('invalid_exact_avm_too_many_signatures');
  });

  it('is refused as a multisig with too few signatures', () => {
    expect(reasonFor(multisigPayment([payer]), unsponsored)).toBe('invalid_exact_avm_invalid_signature');
  });

  it('is refused as a multisig of other keys than the payer', () => {
    const other = multisigPayment([payer, stranger], stranger.address);
    expect(reasonFor(other, unsponsored)).toBe('invalid_exact_avm_signer_mismatch');
  });

  it.each([
    ['no signature', {}, 'invalid_exact_avm_payment_not_signed'],
    ['a wrong signature', { signature: new Uint8Array(64).fill(1) }, 'invalid_exact_avm_invalid_signature'],
    ['its own sender named as authorizer', { signature: random32, authAddress: payer.address }, undefined],
  ] as const)('is refused with %s', (_, authorization, reason) => {
    const txn = { ...transfer, fee: 1000n };
    const signature = payer.sign(transactionSigningBytes(txn));
    const proper = reason === undefined ? { ...authorization, signature } : authorization;
    const payload = payloadOf([encodeSignedTransaction({ txn, ...proper })], unsponsored);
    expect(reasonFor(payload, unsponsored)).toBe(reason ?? 'invalid_exact_avm_signer_mismatch');
  });

  it("is refused when somebody else's key signed", () => {
    const txn = { ...transfer, fee: 1000n };
    const signature = stranger.sign(transactionSigningBytes(txn));
    const payload = payloadOf([encodeSignedTransaction({ txn, signature })], unsponsored);
    expect(reasonFor(payload, unsponsored)).toBe('invalid_exact_avm_invalid_signature');
  });

  it('is refused when key and multisig both sign', () => {
    const txn = { ...transfer, fee: 1000n };
    const message = transactionSigningBytes(txn);
    const both = { txn, signature: payer.sign(message), multisig: signMultisig(parameters, message, payer) };
    const payload = payloadOf([encodeSignedTransaction(both)], unsponsored);
    expect(reasonFor(payload, unsponsored)).toBe('invalid_exact_avm_invalid_signature');
  });
});

describe('a payment for another offer is refused', () => {
  it.each([
    ['version 1', { x402Version: 1 }, 'invalid_exact_avm_invalid_version'],
    ['scheme upto', { accepted: { ...requirements, scheme: 'upto' } }, 'invalid_exact_avm_scheme'],
    [
      'another network',
      { accepted: { ...requirements, network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' as const } },
      'invalid_exact_avm_network_mismatch',
    ],
    ['another asset', { accepted: { ...requirements, asset: '1' } }, 'invalid_exact_avm_accepted_mismatch'],
    ['another amount', { accepted: { ...requirements, amount: '1' } }, 'invalid_exact_avm_accepted_mismatch'],
    [
      'another receiver',
      { accepted: { ...requirements, payTo: stranger.address } },
      'invalid_exact_avm_accepted_mismatch',
    ],
    [
      'another fee payer',
      { accepted: { ...requirements, extra: { feePayer: stranger.address } } },
      'invalid_exact_avm_fee_payer_mismatch',
    ],
  ] as const)('of %s', (_, change, reason) => {
    expect(reasonFor({ ...sponsoredPayment(), ...change })).toBe(reason);
  });

  it('on a network that is none of Algorand', () => {
    const foreign = { ...requirements, network: 'eip155:8453' as const };
    expect(reasonFor({ ...sponsoredPayment(), accepted: foreign }, foreign)).toBe('invalid_exact_avm_network_mismatch');
  });

  it('verified with weaker requirements and settled with those of the seller', () => {
    const weak = { ...requirements, amount: '1' };
    const payload = { ...sponsoredPayment({ transfer: { amount: 1n } }), accepted: weak };
    expect(reasonFor(payload, weak)).toBe('accepted');
    expect(reasonFor({ ...payload, accepted: requirements })).toBe('invalid_exact_avm_amount_mismatch');
  });
});

describe('a transfer is refused', () => {
  it.each([
    ['of another asset', { assetId: 31566704n }, 'invalid_exact_avm_asset_mismatch'],
    ['of too little', { amount: 9999n }, 'invalid_exact_avm_amount_mismatch'],
    ['of too much', { amount: 10001n }, 'invalid_exact_avm_amount_mismatch'],
    ['to somebody else', { receiver: stranger.address }, 'invalid_exact_avm_receiver_mismatch'],
    ['by clawback', { assetSender: stranger.address }, 'invalid_exact_avm_asset_sender'],
    ['that closes the holding', { assetCloseTo: stranger.address }, 'invalid_exact_avm_asset_close'],
    ['that rekeys the payer', { rekeyTo: stranger.address }, 'invalid_exact_avm_rekey'],
    ['with a lease', { lease: random32 }, 'invalid_exact_avm_lease'],
    ['with a note of 1025 bytes', { note: new Uint8Array(1025).fill(1) }, 'invalid_exact_avm_note_too_long'],
    ['of another network', { genesisHash: elsewhere }, 'invalid_exact_avm_genesis_hash_mismatch'],
    ['valid for 1001 rounds', { lastValid: 1101n }, 'invalid_exact_avm_window_too_long'],
    ['that ends before it begins', { firstValid: 300n }, 'invalid_exact_avm_expired'],
    ['with a group id that belongs to no group', { group: random32 }, 'invalid_exact_avm_group_id_mismatch'],
  ] as const)('%s', (_, change, reason) => {
    expect(reasonFor(lonePayment(change), unsponsored)).toBe(reason);
  });

  it('to the payer itself', () => {
    const toSelf = { ...unsponsored, payTo: payer.address };
    const payload = { ...lonePayment({ receiver: payer.address }), accepted: toSelf };
    expect(reasonFor(payload, toSelf)).toBe('invalid_exact_avm_payer_is_receiver');
  });

  it('of nothing, even when nothing is asked for', () => {
    const free = { ...unsponsored, amount: '0' };
    expect(reasonFor({ ...lonePayment({ amount: 0n }), accepted: free }, free)).toBe(
      'invalid_exact_avm_amount_mismatch',
    );
  });
});

const stockNote = (time: string): Uint8Array => new TextEncoder().encode(`x402-fee-payer-${time}`);

describe('a fee payer', () => {
  it.each(['1786944043683', '1786944043683000000', '1'.repeat(20)])(
    "may have the note of stock's clients: %s",
    (time) => {
      expect(reasonFor(sponsoredPayment({ feePayer: { note: stockNote(time) } }))).toBe('accepted');
    },
  );
});

describe('a fee payer is refused', () => {
  it.each([
    ['that was not offered', {}, 'invalid_exact_avm_fee_payer_not_offered', unsponsored],
    ['that moves something', { amount: 1n }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    ['that pays somebody else', { receiver: payer.address }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    [
      'that closes the account',
      { closeRemainderTo: payer.address },
      'invalid_exact_avm_invalid_fee_payer',
      requirements,
    ],
    ['that rekeys the account', { rekeyTo: payer.address }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    ['with a lease', { lease: random32 }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    ['with a note', { note: new Uint8Array(1) }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    [
      'with more than stock’s note',
      { note: stockNote('1 log in') },
      'invalid_exact_avm_invalid_fee_payer',
      requirements,
    ],
    [
      'with a number too long for a time',
      { note: stockNote('1'.repeat(21)) },
      'invalid_exact_avm_invalid_fee_payer',
      requirements,
    ],
    ['of another window', { lastValid: 201n }, 'invalid_exact_avm_invalid_fee_payer', requirements],
    ['of another network', { genesisHash: elsewhere }, 'invalid_exact_avm_genesis_hash_mismatch', requirements],
    [
      'that is another account',
      { sender: stranger.address, receiver: stranger.address },
      'invalid_exact_avm_fee_payer_mismatch',
      requirements,
    ],
  ] as const)('%s', (_, change, reason, required) => {
    expect(reasonFor({ ...sponsoredPayment({ feePayer: change }), accepted: required }, required)).toBe(reason);
  });

  it('that is signed already', () => {
    const [fee, axfer] = grouped(feePayment, transfer);
    const signed = payloadOf([sponsor.signTransaction(fee), payer.signTransaction(axfer)]);
    expect(reasonFor(signed)).toBe('invalid_exact_avm_invalid_fee_payer');
  });
});
