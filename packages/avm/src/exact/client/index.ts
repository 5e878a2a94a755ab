export { ExactAvmClient, type ExactAvmClientOptions } from './exact-avm-client.ts';
export { createMultisigWallet, type MultisigWalletOptions } from './multisig-wallet.ts';
export { MAX_FEE, type CreatedPayment } from './create-payment.ts';
export { USDC_ASSETS, type UsdcAsset, usdcOn } from '../usdc.ts';
export type { TransactionWallet } from './wallet.ts';
