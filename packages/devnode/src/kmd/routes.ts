import { refused } from '../errors.ts';
import { formatAddress } from '@avm402/algorand/address';
import { bytes64 } from '../codec/bytes.ts';
import type { Multisig } from '../codec/schema/signed-transaction.ts';
import type { Handles, HandleState } from './handles.ts';
import { answer, request, type WalletRecord } from './messages.ts';
import { kmdRoute, type KmdRoute } from './route.ts';
import { addressOfMultisig, signMultisigProgram, signMultisigTransaction } from './sign-multisig.ts';
import { parseAddress, signProgram, signTransaction } from './sign.ts';
import type { Wallet } from './wallet.ts';
import type { Wallets } from './wallets.ts';

/** KMD's routes below `/v1`. Most check the handle first; those that take an address of the wallet check that first. */
export function kmdRoutes(wallets: Wallets, handles: Handles): readonly KmdRoute[] {
  return [
    ...walletRoutes(wallets, handles),
    ...handleRoutes(handles),
    ...keyRoutes(handles),
    ...signingRoutes(handles),
    ...multisigRoutes(handles),
    ...multisigSigningRoutes(handles),
  ];
}

function walletRoutes(wallets: Wallets, handles: Handles): KmdRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/wallets',
      handle: () => answer.wallets.json({ wallets: wallets.list.map(walletRecord) }, ''),
    },
    kmdRoute('POST', '/v1/wallet', {
      request: request.createWallet,
      answer: answer.wallet,
      handle: (created) => ({ wallet: walletRecord(wallets.create(created)) }),
    }),
    kmdRoute('POST', '/v1/wallet/rename', {
      request: request.renameWallet,
      answer: answer.wallet,
      handle: ({ id, name, password }) => ({ wallet: walletRecord(wallets.rename(id, name, password)) }),
    }),
    kmdRoute('POST', '/v1/wallet/init', {
      request: request.openWallet,
      answer: answer.handle,
      handle({ id, password }) {
        const wallet = wallets.byId(id);
        wallet.checkPassword(password, 401);
        return { handle: handles.open(wallet) };
      },
    }),
    kmdRoute('POST', '/v1/master-key/export', {
      request: request.handleAndPassword,
      answer: answer.masterDerivationKey,
      handle: ({ handle, password }) => ({
        masterDerivationKey: handles.wallet(handle).exportMasterDerivationKey(password),
      }),
    }),
  ];
}

function handleRoutes(handles: Handles): KmdRoute[] {
  return [
    kmdRoute('POST', '/v1/wallet/info', {
      request: request.handle,
      answer: answer.walletHandle,
      handle: ({ handle }) => handleRecord(handles.state(handle)),
    }),
    kmdRoute('POST', '/v1/wallet/renew', {
      request: request.handle,
      answer: answer.walletHandle,
      handle: ({ handle }) => handleRecord(handles.renew(handle)),
    }),
    kmdRoute('POST', '/v1/wallet/release', {
      request: request.handle,
      answer: answer.nothing,
      handle({ handle }) {
        handles.release(handle);
        return {};
      },
    }),
  ];
}

function keyRoutes(handles: Handles): KmdRoute[] {
  return [
    kmdRoute('POST', '/v1/key', {
      request: request.generateKey,
      answer: answer.address,
      handle({ handle, displayMnemonic }) {
        const wallet = handles.wallet(handle);
        if (displayMnemonic) throw refused('sqlite wallet driver cannot display mnemonics', 500);
        return { address: formatAddress(wallet.generateKey()) };
      },
    }),
    kmdRoute('POST', '/v1/key/list', {
      request: request.handle,
      answer: answer.addresses,
      handle: ({ handle }) => ({ addresses: handles.wallet(handle).publicKeys.map(formatAddress) }),
    }),
    kmdRoute('POST', '/v1/key/import', {
      request: request.importKey,
      answer: answer.address,
      handle: ({ handle, privateKey }) => ({ address: formatAddress(handles.wallet(handle).importKey(privateKey)) }),
    }),
    kmdRoute('POST', '/v1/key/export', {
      request: request.addressAndPassword,
      answer: answer.privateKey,
      handle({ handle, address, password }) {
        const publicKey = parseAddress(address);
        return { privateKey: handles.wallet(handle).exportKey(publicKey, password) };
      },
    }),
    kmdRoute('DELETE', '/v1/key', {
      request: request.addressAndPassword,
      answer: answer.nothing,
      handle({ handle, address, password }) {
        const publicKey = parseAddress(address);
        handles.wallet(handle).deleteKey(publicKey, password);
        return {};
      },
    }),
  ];
}

function signingRoutes(handles: Handles): KmdRoute[] {
  return [
    kmdRoute('POST', '/v1/transaction/sign', {
      request: request.signTransaction,
      answer: answer.signedTransaction,
      handle: (asked) => ({ signedTransaction: signTransaction(handles.wallet(asked.handle), asked) }),
    }),
    kmdRoute('POST', '/v1/program/sign', {
      request: request.signProgram,
      answer: answer.signature,
      handle: (asked) => ({ signature: signProgram(handles.wallet(asked.handle), asked) }),
    }),
  ];
}

function multisigRoutes(handles: Handles): KmdRoute[] {
  return [
    kmdRoute('POST', '/v1/multisig/list', {
      request: request.handle,
      answer: answer.addresses,
      handle: ({ handle }) => ({ addresses: handles.wallet(handle).multisigAddresses.map(formatAddress) }),
    }),
    kmdRoute('POST', '/v1/multisig/import', {
      request: request.importMultisig,
      answer: answer.address,
      handle({ handle, version, threshold, publicKeys = [] }) {
        const wallet = handles.wallet(handle);
        const subsignatures = publicKeys.map((publicKey) => ({ publicKey, signature: bytes64.zero }));
        const multisig: Multisig = { version, threshold, subsignatures };
        const address = addressOfMultisig(multisig);
        wallet.importMultisig(address, multisig);
        return { address: formatAddress(address) };
      },
    }),
    kmdRoute('POST', '/v1/multisig/export', {
      request: request.address,
      answer: answer.multisigForm,
      handle({ handle, address }) {
        const parsed = parseAddress(address);
        const { subsignatures = [], ...form } = handles.wallet(handle).multisig(parsed);
        return { ...form, publicKeys: subsignatures.map(({ publicKey }) => publicKey) };
      },
    }),
    kmdRoute('DELETE', '/v1/multisig', {
      request: request.addressAndPassword,
      answer: answer.nothing,
      handle({ handle, address, password }) {
        const parsed = parseAddress(address);
        handles.wallet(handle).deleteMultisig(parsed, password);
        return {};
      },
    }),
  ];
}

function multisigSigningRoutes(handles: Handles): KmdRoute[] {
  return [
    kmdRoute('POST', '/v1/multisig/sign', {
      request: request.signMultisig,
      answer: answer.multisig,
      handle: (asked) => ({ multisig: signMultisigTransaction(handles.wallet(asked.handle), asked) }),
    }),
    kmdRoute('POST', '/v1/multisig/signprogram', {
      request: request.signMultisigProgram,
      answer: answer.multisig,
      handle: (asked) => ({ multisig: signMultisigProgram(handles.wallet(asked.handle), asked) }),
    }),
  ];
}

function walletRecord({ id, name }: Wallet): WalletRecord {
  const supportedTransactions = ['pay', 'keyreg'];
  return { driver: 'sqlite', driverVersion: 1, id, mnemonicUx: false, name, supportedTransactions };
}

function handleRecord({ wallet, expiresSeconds }: HandleState) {
  return { walletHandle: { expiresSeconds: BigInt(expiresSeconds), wallet: walletRecord(wallet) } };
}
