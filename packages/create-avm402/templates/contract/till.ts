// The contract that is paid. Creates it from till.teal unless its number is given, and pays out for its owner.
import algosdk from 'algosdk';
import { readFileSync } from 'node:fs';

// Whose contract it is, its number, the asset it takes (the default is USDC of TestNet, and of the chain here), and a node.
const { OWNER_MNEMONIC = '', APP_ID, ASSET_ID, ALGOD_URL = '', ALGOD_TOKEN = '' } = process.env;
const algod = new algosdk.Algodv2(ALGOD_TOKEN, ALGOD_URL, new URL(ALGOD_URL).port);
const assetId = BigInt(ASSET_ID || 10_458_941);
const { addr: owner, sk } = algosdk.mnemonicToSecretKey(OWNER_MNEMONIC);
const signer = algosdk.makeBasicAccountTransactionSigner({ addr: owner, sk });
const open = algosdk.ABIMethod.fromSignature('open(uint64)void');
const payOut = algosdk.ABIMethod.fromSignature('pay_out(address,uint64,uint64)void');

/** The fee of a transaction, and of those that the contract makes in it. */
const parameters = async (inner = 0n) => {
  const suggested = await algod.getTransactionParams().do();
  return { ...suggested, flatFee: true, fee: suggested.minFee * (1n + inner) };
};

const compiled = async (source = '') => algosdk.base64ToBytes((await algod.compile(source).do()).result);

/** Creates a contract, and opens it for the asset. */
async function create() {
  const creation = algosdk.makeApplicationCreateTxnFromObject({
    sender: owner,
    suggestedParams: await parameters(),
    onComplete: algosdk.OnApplicationComplete.NoOpOC,
    approvalProgram: await compiled(readFileSync(new URL('till.teal', import.meta.url), 'utf8')),
    clearProgram: await compiled('#pragma version 11\nint 1'),
    numGlobalInts: 0,
    numGlobalByteSlices: 0,
    numLocalInts: 0,
    numLocalByteSlices: 0,
  });
  const { txid } = await algod.sendRawTransaction(creation.signTxn(sk)).do();
  const { applicationIndex: appID = 0n } = await algosdk.waitForConfirmation(algod, txid, 4);
  // 0.2 Algo is what an account with one asset must hold.
  const receiver = algosdk.getApplicationAddress(appID);
  const deposit = { sender: owner, receiver, amount: 200_000n, suggestedParams: await parameters() };
  const opening = new algosdk.AtomicTransactionComposer();
  opening.addTransaction({ txn: algosdk.makePaymentTxnWithSuggestedParamsFromObject(deposit), signer });
  const openCall = { appID, method: open, methodArgs: [assetId], appForeignAssets: [assetId], sender: owner, signer };
  opening.addMethodCall({ ...openCall, suggestedParams: await parameters(1n) });
  await opening.execute(algod, 4);
  return appID;
}

const appID = APP_ID ? BigInt(APP_ID) : await create();

/** The address that sellers are paid at. */
export const address = algosdk.getApplicationAddress(appID).toString();
console.log(`till ${appID} is paid at ${address}`);

/** Takes an amount out of the till, in atomic units of its asset. */
export async function takeOut(amount = 0n, receiver = owner.toString()) {
  const call = { appID, method: payOut, methodArgs: [receiver, assetId, amount], sender: owner, signer };
  const paying = new algosdk.AtomicTransactionComposer();
  paying.addMethodCall({
    ...call,
    appAccounts: [receiver],
    appForeignAssets: [assetId],
    suggestedParams: await parameters(1n),
  });
  await paying.execute(algod, 4);
}
