import { bytes, bytes32, bytes64 } from '../codec/bytes.ts';
import { boolean, int64, uint32, uint8 } from '../codec/integer.ts';
import type { ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { multisig } from '../codec/schema/signed-transaction.ts';
import { field, requiredField, Struct } from '../codec/struct.ts';
import { byteString } from '../codec/text.ts';

const handle = { handle: field('wallet_handle_token', byteString) };
const password = { password: field('wallet_password', byteString) };
const address = { address: field('address', byteString) };
const publicKey = { publicKey: field('public_key', bytes32) };
const multisigForm = {
  version: field('multisig_version', uint8),
  threshold: field('threshold', uint8),
  publicKeys: field('pks', list(bytes32)),
};

/** The fields of requests. */
export const request = {
  createWallet: new Struct({
    name: field('wallet_name', byteString),
    driver: field('wallet_driver_name', byteString),
    ...password,
    masterDerivationKey: field('master_derivation_key', bytes32),
  }),
  openWallet: new Struct({ id: field('wallet_id', byteString), ...password }),
  renameWallet: new Struct({ id: field('wallet_id', byteString), ...password, name: field('wallet_name', byteString) }),
  handle: new Struct(handle),
  handleAndPassword: new Struct({ ...handle, ...password }),
  generateKey: new Struct({ ...handle, displayMnemonic: field('display_mnemonic', boolean) }),
  importKey: new Struct({ ...handle, privateKey: field('private_key', bytes64) }),
  address: new Struct({ ...handle, ...address }),
  addressAndPassword: new Struct({ ...handle, ...address, ...password }),
  signTransaction: new Struct({ ...handle, transaction: field('transaction', bytes), ...publicKey, ...password }),
  signProgram: new Struct({ ...handle, ...address, program: field('data', bytes), ...password }),
  importMultisig: new Struct({ ...handle, ...multisigForm }),
  signMultisig: new Struct({
    ...handle,
    transaction: field('transaction', bytes),
    ...publicKey,
    partial: field('partial_multisig', multisig),
    ...password,
    signer: field('signer', bytes32),
  }),
  signMultisigProgram: new Struct({
    ...handle,
    ...address,
    program: field('data', bytes),
    ...publicKey,
    partial: field('partial_multisig', multisig),
    ...password,
    legacy: field('use_legacy_msig', boolean),
  }),
};

const wallet = new Struct({
  driver: field('driver_name', byteString),
  driverVersion: field('driver_version', uint32),
  id: field('id', byteString),
  mnemonicUx: requiredField('mnemonic_ux', boolean),
  name: field('name', byteString),
  supportedTransactions: field('supported_txs', list(byteString)),
});

const walletHandle = new Struct({
  expiresSeconds: requiredField('expires_seconds', int64),
  wallet: field('wallet', wallet),
});

/** The fields of answers. Empty members are left out. */
export const answer = {
  nothing: new Struct({}),
  error: new Struct({ error: field('error', boolean), message: field('message', byteString) }),
  versions: new Struct({ versions: field('versions', list(byteString)) }),
  wallets: new Struct({ wallets: field('wallets', list(wallet)) }),
  wallet: new Struct({ wallet: field('wallet', wallet) }),
  handle: new Struct({ handle: field('wallet_handle_token', byteString) }),
  walletHandle: new Struct({ walletHandle: field('wallet_handle', walletHandle) }),
  masterDerivationKey: new Struct({ masterDerivationKey: field('master_derivation_key', bytes32) }),
  address: new Struct(address),
  addresses: new Struct({ addresses: field('addresses', list(byteString)) }),
  privateKey: new Struct({ privateKey: field('private_key', bytes64) }),
  multisigForm: new Struct(multisigForm),
  signedTransaction: new Struct({ signedTransaction: field('signed_transaction', bytes) }),
  signature: new Struct({ signature: field('sig', bytes64) }),
  multisig: new Struct({ multisig: field('multisig', bytes) }),
};

export type WalletRecord = ValueOf<typeof wallet>;
