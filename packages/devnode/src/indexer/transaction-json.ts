import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { NO_EFFECTS, type InnerTransaction } from '../codec/schema/apply-data.ts';
import {
  logicSignature as logicSignatureSchema,
  multisig as multisigSchema,
  pqSignature as pqSignatureSchema,
  type LogicSignature,
  type Multisig,
  type PqSignature,
  type TransactionInBlock,
} from '../codec/schema/signed-transaction.ts';
import { assetParams, type Transaction } from '../codec/schema/transaction.ts';
import { addressJson, bytesJson, type Json } from '../rest/plain-json.ts';
import { assetParamsJson } from '../rest/routes/asset-json.ts';
import { idText } from '../transaction/member.ts';
import { applicationTransactionJson, programEffectsJson } from './application-transaction-json.ts';
import type { ConfirmedTransaction } from './confirmed-transaction.ts';

/** A transaction as an indexer prints it. All rewards are zero. */
export function transactionJson(confirmed: ConfirmedTransaction): Json {
  const { txId, placed, header } = confirmed;
  return {
    ...effectJson(placed, confirmed),
    'auth-addr': addressJson(placed.authAddress),
    'genesis-hash': encodeBase64(header.genesisHash),
    'genesis-id': placed.hasGenesisId ? header.genesisId : undefined,
    id: idText(txId),
    signature: signatureJson(placed),
  };
}

/** Where the transaction is that the block holds. */
type Root = Pick<ConfirmedTransaction, 'round' | 'offset' | 'header'>;

/** The members that an indexer prints of every transaction, also of one that a program submitted. */
function effectJson(placed: InnerTransaction, root: Root): { readonly [name: string]: Json | undefined } {
  const { transaction, evalDelta } = placed;
  const { type } = transaction;
  return {
    ...detailsJson(placed),
    ...(evalDelta !== NO_EFFECTS && programEffectsJson(transaction, evalDelta)),
    'close-rewards': 0,
    'closing-amount': placed.closingAmount,
    'confirmed-round': root.round,
    'created-application-index': placed.applicationId || undefined,
    'created-asset-index': type === 'acfg' && transaction.configAsset === 0n ? placed.configAsset : undefined,
    fee: transaction.fee,
    'first-valid': transaction.firstValid,
    group: bytesJson(transaction.group),
    'inner-txns': evalDelta.inner?.map((inner) => effectJson(inner, root)),
    'intra-round-offset': root.offset,
    'last-valid': transaction.lastValid,
    lease: bytesJson(transaction.lease),
    note: transaction.note.length === 0 ? undefined : encodeBase64(transaction.note),
    'receiver-rewards': 0,
    'rekey-to': addressJson(transaction.rekeyTo),
    'round-time': root.header.timestamp,
    sender: formatAddress(transaction.sender),
    'sender-rewards': 0,
    'tx-type': transaction.type,
  };
}

/** The fields that only transactions of its type have. */
function detailsJson(placed: InnerTransaction): { readonly [name: string]: Json } {
  const { transaction } = placed;
  switch (transaction.type) {
    case 'pay':
      return { 'payment-transaction': paymentJson(placed) };
    case 'axfer':
      return { 'asset-transfer-transaction': transferJson(placed) };
    case 'acfg':
      return { 'asset-config-transaction': configurationJson(transaction) };
    case 'afrz':
      return { 'asset-freeze-transaction': freezeJson(transaction) };
    case 'keyreg':
      return { 'keyreg-transaction': registrationJson(transaction) };
    case 'appl':
      return { 'application-transaction': applicationTransactionJson(transaction) };
    default:
      return {};
  }
}

function paymentJson({ transaction, closingAmount }: InnerTransaction): Json {
  return {
    amount: transaction.amount,
    'close-amount': closingAmount,
    'close-remainder-to': addressJson(transaction.closeRemainderTo),
    receiver: formatAddress(transaction.receiver),
  };
}

function transferJson({ transaction, assetClosingAmount }: InnerTransaction): Json {
  return {
    amount: transaction.assetAmount,
    'asset-id': transaction.transferAsset,
    'close-amount': assetClosingAmount,
    'close-to': addressJson(transaction.assetCloseTo),
    receiver: formatAddress(transaction.assetReceiver),
    sender: addressJson(transaction.assetSender),
  };
}

/** An asset configuration; without parameters, it destroys the asset. */
function configurationJson({ configAsset, assetParams: params, sender }: Transaction): Json {
  return {
    'asset-id': configAsset,
    params: assetParams.isZero(params) ? undefined : assetParamsJson(sender, params),
  };
}

function freezeJson({ freezeAccount, freezeAsset, assetFrozen }: Transaction): Json {
  return { address: formatAddress(freezeAccount), 'asset-id': freezeAsset, 'new-freeze-status': assetFrozen };
}

function registrationJson(transaction: Transaction): Json {
  return {
    'non-participation': transaction.nonparticipation,
    'selection-participation-key': bytesJson(transaction.selectionKey),
    'state-proof-key': bytesJson(transaction.stateProofKey),
    'vote-first-valid': transaction.voteFirstValid,
    'vote-key-dilution': transaction.voteKeyDilution,
    'vote-last-valid': transaction.voteLastValid,
    'vote-participation-key': bytesJson(transaction.voteKey),
  };
}

function signatureJson({ signature, multisig, logicSignature, pqSignature }: TransactionInBlock): Json {
  return {
    logicsig: logicSignatureSchema.isUnset(logicSignature) ? undefined : logicSignatureJson(logicSignature),
    multisig: multisigJson(multisig),
    pqsig: pqSignatureJson(pqSignature),
    sig: bytesJson(signature),
  };
}

function logicSignatureJson({ logic, args = [], signature, ...delegated }: LogicSignature): Json {
  return {
    args: args.map(encodeBase64),
    logic: encodeBase64(logic),
    'logic-multisig-signature': multisigJson(delegated.logicMultisig),
    'multisig-signature': multisigJson(delegated.multisig),
    pqsig: pqSignatureJson(delegated.pqSignature),
    signature: bytesJson(signature),
  };
}

function multisigJson(multisig: Multisig): Json | undefined {
  if (multisigSchema.isUnset(multisig)) return undefined;
  const { subsignatures = [], threshold, version } = multisig;
  return {
    subsignature: subsignatures.map(({ publicKey, signature }) => ({
      'public-key': bytesJson(publicKey),
      signature: bytesJson(signature),
    })),
    threshold,
    version,
  };
}

function pqSignatureJson(given: PqSignature): Json | undefined {
  if (pqSignatureSchema.isUnset(given)) return undefined;
  const { publicKey, salt, scheme, signature } = given;
  return {
    'public-key': encodeBase64(publicKey),
    salt,
    scheme: Buffer.from(scheme).toString('latin1'),
    signature: encodeBase64(signature),
  };
}
