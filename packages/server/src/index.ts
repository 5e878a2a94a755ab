export { declareDiscovery, type DiscoveryDeclaration } from '@avm402/core/discovery';
export { createSeller, type Seller, type SellerOptions } from './seller.ts';
export type { NetworkTerms } from './offers/network-terms.ts';
export type { Channel, ChannelRequest, ChannelState, ClosingReason, RequestBuyer } from './channels/channel.ts';
export type {
  ChangeOutcome,
  ChannelChange,
  ChannelPage,
  ChannelStore,
  RememberedRequest,
} from './channels/channel-store.ts';
export type { ChannelOptions } from './channels/channel-options.ts';
export { channelRoutes, type ChannelRoutesOptions } from './channels/channel-routes.ts';
export { charge } from './channels/charge.ts';
export type { SellerChannels } from './channels/seller-channels.ts';
export { memoryChannelStore } from './channels/memory-channel-store.ts';
export { paid, paymentMiddleware, type PaymentMiddleware } from './payment-middleware.ts';
export type { PaymentOptions } from './options.ts';
export type { PageFile, PageNetworks, PayingPage } from './page/paying-page.ts';
export type { PricedRoutes } from './priced-routes.ts';
export type { PaymentEvent } from './payment-event.ts';
export type { GuardedPayment, PaymentGuard } from './payment-guard.ts';
export { memoryRedemptionStore, type MemoryRedemptionStoreOptions } from './redemption/memory-redemption-store.ts';
export type { PutOutcome, RedemptionStore } from './redemption/redemption-store.ts';
export type { Redemption, RedemptionState, StoredResponse } from './redemption/redemption.ts';
export { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
export type { HTTPRequestContext, RouteConfig, RoutesConfig } from '@x402/core/server';
export type {
  Network,
  PaymentPayload,
  PaymentRequired,
  PaymentRequirements,
  SchemeNetworkServer,
} from '@x402/core/types';
