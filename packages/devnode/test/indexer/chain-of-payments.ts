import algosdk from 'algosdk';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';

/** A node with an indexer, and the official SDK's clients of both. */
export interface IndexedNode {
  readonly node: Devnode;
  readonly algod: algosdk.Algodv2;
  readonly indexer: algosdk.Indexer;
  readonly payer: algosdk.Account;
  readonly merchant: algosdk.Account;
  /** Signs with the sender's key, submits, and gives the id. */
  send(transaction: algosdk.Transaction, by: algosdk.Account): Promise<string>;
  /** A payment of the payer to the merchant. */
  pay(amount: bigint, more?: { readonly note?: string; readonly rekeyTo?: algosdk.Address }): Promise<string>;
  params(): Promise<algosdk.SuggestedParams>;
}

export async function startIndexedNode(options: DevnodeOptions = {}): Promise<IndexedNode> {
  const node = await startDevnode({ port: 0, indexerPort: 0, ...options });
  const algod = new algosdk.Algodv2(node.token, new URL(node.url).origin, new URL(node.url).port);
  const indexerUrl = new URL(node.indexerUrl ?? '');
  const indexer = new algosdk.Indexer(node.token, indexerUrl.origin, indexerUrl.port);
  const payer = algosdk.mnemonicToSecretKey(node.accounts.payer.mnemonic);
  const merchant = algosdk.mnemonicToSecretKey(node.accounts.merchant.mnemonic);
  const params = (): Promise<algosdk.SuggestedParams> => algod.getTransactionParams().do();
  const send: IndexedNode['send'] = async (transaction, by) => {
    const { txid } = await algod.sendRawTransaction(transaction.signTxn(by.sk)).do();
    return txid;
  };
  const pay: IndexedNode['pay'] = async (amount, { note, rekeyTo } = {}) => {
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: payer.addr,
      receiver: merchant.addr,
      amount,
      suggestedParams: await params(),
      ...(note !== undefined && { note: new TextEncoder().encode(note) }),
      ...(rekeyTo && { rekeyTo }),
    });
    return send(payment, payer);
  };
  return { node, algod, indexer, payer, merchant, send, pay, params };
}
