export { networkName } from '../../network/network-name.ts';
export { usdcOn, type UsdcAsset } from '../../network/usdc.ts';
export { ExactAvmServer } from './exact-avm-server.ts';
export type { PricedAsset } from '../../network/priced-asset.ts';
export {
  parsePayTo,
  type PriceQuestion,
  type PricingOptions as ExactAvmServerOptions,
} from '../../network/pricing-scheme.ts';
