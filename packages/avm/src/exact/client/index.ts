export { ExactAvmClient, type ExactAvmClientOptions } from './exact-avm-client.ts';
export { createMultisigWallet, type MultisigWalletOptions } from '../../signing/multisig-wallet.ts';
export { MAX_FEE, type CreatedPayment } from './create-payment.ts';
export { USDC_ASSETS, type UsdcAsset, usdcOn } from '../../network/usdc.ts';
export type { SignatureCost, TransactionWallet } from '../../signing/wallet.ts';
