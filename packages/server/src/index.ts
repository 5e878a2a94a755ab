export { declareDiscovery, type DiscoveryDeclaration } from '@avm402/core/discovery';
export { createSeller, type Seller, type SellerOptions, type SellersFacilitator } from './seller.ts';
export type { Accepted, NetworkTerms, PriceTerms, SellerPrice, SoldRoute, SoldRoutes } from './routes/seller-price.ts';
export type { Channel, ChannelRequest, ChannelState, ClosingReason, RequestBuyer } from './channels/record/channel.ts';
export type {
  ChangeOutcome,
  ChannelChange,
  ChannelPage,
  ChannelStore,
  RememberedRequest,
} from './channels/record/channel-store.ts';
export type { ChannelOptions } from './channels/channel-options.ts';
export { charge } from './run/charge.ts';
export type { SellerChannels } from './channels/channels.ts';
export { createMemoryChannelStore } from './channels/stores/memory-channel-store.ts';
/** @deprecated import them from `@avm402/server/express` */
export {
  channelRoutes,
  type ChannelRoutesOptions,
  paid,
  paymentMiddleware,
  type PaymentMiddleware,
} from './hosts/express/express.ts';
export type { PaymentOptions } from './options.ts';
export type { AtRisk } from './risk/risk-bounds.ts';
export type { PageFile, PageNetworks, PayingPage } from './page/paying-page.ts';
export type { PricedRoutes } from './priced-routes.ts';
export type { PaymentEvent } from './payment-event.ts';
export type { GuardedPayment, PaymentGuard } from './exchange/payment-guard.ts';
export {
  createMemoryRedemptionStore,
  type MemoryRedemptionStoreOptions,
} from './redemption/stores/memory-redemption-store.ts';
export type { PutOutcome, RedemptionStore } from './redemption/redemption-store.ts';
export type { Risk, RiskBounds, RiskStore } from './redemption/risk-store.ts';
export type { Redemption, RedemptionState } from './redemption/redemption.ts';
export type { StoredResponse } from './response/held-answer.ts';
export { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
export type { FacilitatorClient, HTTPRequestContext, RouteConfig, RoutesConfig } from '@x402/core/server';
export type {
  Network,
  PaymentPayload,
  PaymentRequired,
  PaymentRequirements,
  SchemeNetworkServer,
} from '@x402/core/types';
