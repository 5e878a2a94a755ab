// A chain, a contract and a facilitator of your own, in this process and offline. On TestNet and MainNet there are others.
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';

export const node = await startDevnode({ port: 0 });
export const { facilitator: sponsor, merchant: owner, payer } = node.accounts;
// A contract or an asset of another chain is not here.
Object.assign(process.env, { OWNER_MNEMONIC: owner.mnemonic, APP_ID: '', ASSET_ID: '' });
Object.assign(process.env, { ALGOD_URL: node.url, ALGOD_TOKEN: node.token });
export const till = await import('./till.ts');
const facilitator = createFacilitator({
  networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
  sponsorship: { account: parseAccount(sponsor.privateKey), payTo: [till.address] },
});
const app = createFacilitatorApp(facilitator);

/** What a seller and a buyer on this chain have in their environment. */
export const environment = {
  AVM_ADDRESS: till.address,
  AVM_MNEMONIC: payer.mnemonic,
  FACILITATOR_URL: await app.listen({ host: '127.0.0.1', port: 0 }),
  ALGOD_URL: node.url,
  ALGOD_TOKEN: node.token,
};

export async function stop() {
  await app.close();
  await facilitator.close();
  await node.stop();
}
