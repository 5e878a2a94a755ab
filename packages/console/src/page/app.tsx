import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AccountView } from './chain/account-view.tsx';
import { ApplicationView } from './chain/application-view.tsx';
import { AssetView } from './chain/asset-view.tsx';
import { BlockView } from './chain/block-view.tsx';
import { ChainView } from './chain/chain-view.tsx';
import { TransactionView } from './chain/transaction-view.tsx';
import { ControlsView } from './controls/controls-view.tsx';
import { goLive, useLive } from './live.ts';
import { CatalogueView } from './settlements/catalogue-view.tsx';
import { MandateView } from './mandates/mandate-view.tsx';
import { SignView } from './mandates/sign-view.tsx';
import { SettlementsView } from './settlements/settlements-view.tsx';
import { ChannelsView } from './payments/channels-view.tsx';
import { PaymentView } from './payments/payment-view.tsx';
import { PaymentsView } from './payments/payments-view.tsx';
import { NothingHere } from './parts/notice.tsx';
import { linkTo, type Route, useRoute } from './route.ts';

/** The views, by the first word of a link. */
const VIEWS: Readonly<Record<string, ComponentType<{ route: Route }>>> = {
  payments: ({ route }) => (route.id === '' ? <PaymentsView /> : <PaymentView route={route} />),
  chain: ChainView,
  blocks: BlockView,
  transactions: TransactionView,
  accounts: AccountView,
  assets: AssetView,
  applications: ApplicationView,
  mandates: MandateView,
  sign: SignView,
  channels: ChannelsView,
  settlements: SettlementsView,
  catalogue: CatalogueView,
  controls: ControlsView,
};

/** The items of the navigation, each with the views that belong to it. */
const SECTIONS = [
  { view: 'payments', title: 'Payments', holds: [] },
  {
    view: 'chain',
    title: 'Chain',
    holds: ['blocks', 'transactions', 'accounts', 'assets', 'applications', 'mandates', 'sign'],
  },
  { view: 'channels', title: 'Channels', holds: [] },
  { view: 'settlements', title: 'Settlements', holds: [] },
  { view: 'catalogue', title: 'Catalogue', holds: [] },
  { view: 'controls', title: 'Controls', holds: [] },
] as const;

export function App() {
  useEffect(goLive, []);
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const View = Object.hasOwn(VIEWS, route.view) ? VIEWS[route.view] : undefined;
  useEffect(() => {
    document.title = `${titleOf(route.view)} · avm402 console`;
  }, [route.view]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header>
        <strong class="brand">avm402 console</strong>
        <Navigation view={route.view} />
        <Status />
      </header>
      <main ref={main} tabIndex={-1}>
        {View ? <View route={route} key={route.view + route.id} /> : <NothingHere what="such page" />}
      </main>
    </>
  );
}

/** The title of a view, or of the section that holds it. */
function titleOf(view: string): string {
  const section = SECTIONS.find((one) => one.view === view || one.holds.some((held) => held === view));
  return section?.title ?? 'Nothing here';
}

function Navigation({ view }: { readonly view: string }) {
  return (
    <nav aria-label="Views">
      {SECTIONS.map((section) => {
        const isHere = section.view === view || section.holds.some((held) => held === view);
        return (
          <a href={linkTo(section.view)} aria-current={isHere ? 'page' : undefined}>
            {section.title}
          </a>
        );
      })}
    </nav>
  );
}

function Status() {
  const [isConnected, nodeAnswers, round] = [useLive('isConnected'), useLive('nodeAnswers'), useLive('round')];
  if (!isConnected)
    return (
      <p class="status bad" role="status">
        console not connected
      </p>
    );
  if (nodeAnswers === false)
    return (
      <p class="status bad" role="status">
        the node does not answer
      </p>
    );
  return (
    <p class="status good" role="status">
      {round === undefined ? 'live' : `live, round ${round}`}
    </p>
  );
}
