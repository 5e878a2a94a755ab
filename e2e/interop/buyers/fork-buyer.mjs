// The published fork for Algorand, used as its README says: buys each address once, and prints what its caller is given.
import { ExactAvmScheme } from '@x402-avm/avm/exact/client';
import { x402Client } from '@x402-avm/core/client';
import { x402HTTPClient } from '@x402-avm/core/http';
import algosdk from 'algosdk';

const [algodUrl, privateKey, ...urls] = process.argv.slice(2);
const key = Buffer.from(privateKey, 'base64');
const signer = {
  address: algosdk.encodeAddress(key.subarray(32)),
  signTransactions: async (transactions, indexes) =>
    transactions.map((bytes, index) =>
      indexes.includes(index) ? algosdk.decodeUnsignedTransaction(bytes).signTxn(key) : null,
    ),
};
const scheme = new ExactAvmScheme(signer, { algodUrl });
const client = new x402HTTPClient(new x402Client().register('algorand:*', scheme));
for (const url of urls) {
  const asked = await fetch(url);
  const offer = client.getPaymentRequiredResponse((name) => asked.headers.get(name), await asked.json());
  const payment = await client.createPaymentPayload(offer);
  const answer = await fetch(url, { headers: client.encodePaymentSignatureHeader(payment) });
  console.log('given', JSON.stringify([answer.status, (await answer.json()).goods]));
}
