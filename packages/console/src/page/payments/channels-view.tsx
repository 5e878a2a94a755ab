import type { ChannelLine } from '../../payments/channels.ts';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address, TransactionLink } from '../parts/address.tsx';
import { AssetAmount } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { NothingHere, Await } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';
import type { LedgerPage, Settlement } from '../../server/facilitator-routes.ts';
import { RisingLine } from './rising-line.tsx';

/** The channels of payments: deposit, vouchers, close. */
export function ChannelsView() {
  const paymentVersion = useLive('paymentVersion');
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<readonly ChannelLine[]>('/api/channels', paymentVersion);
  const ledger = useAnswer<LedgerPage>('/api/facilitator/settlements?limit=1000', `${chainVersion} ${paymentVersion}`);
  const moves = ledger.answer?.settlements ?? [];
  return (
    <>
      <h1>Channels</h1>
      <Await asked={asked}>
        {(channels) =>
          channels.length === 0 ? (
            <NothingHere what="channel that a payment went through">
              <p>
                Pay more than once for something that is sold through channels, as <code>/forecast</code> of the weather
                is. Roles tell of channels with <code>TRACE_DETAILS=true</code>.
              </p>
            </NothingHere>
          ) : (
            <ul class="cards">
              {channels.map((channel) => (
                <li class="card" key={channel.id}>
                  <Channel channel={channel} moves={moves.filter((move) => move.channel === channel.id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </>
  );
}

function Channel({ channel, moves }: { readonly channel: ChannelLine; readonly moves: readonly Settlement[] }) {
  const { id, points, deposit, asset = '0', payer, payTo } = channel;
  const last = points.at(-1);
  return (
    <>
      <h2>
        Channel <Address address={id} />
      </h2>
      <Facts
        facts={{
          From: payer !== undefined && <Address address={payer} />,
          To: payTo !== undefined && <Address address={payTo} />,
          Deposit: <AssetAmount units={deposit} assetId={asset} />,
          Spent: <AssetAmount units={last?.spent ?? 0} assetId={asset} />,
          Requests: points.length,
          'On chain': moves.length > 0 && (
            <div>
              {moves.toReversed().map(({ channelMove, state, transaction }) => (
                <div key={transaction}>
                  {channelMove} {state} <TransactionLink id={transaction} />
                </div>
              ))}
            </div>
          ),
        }}
      />
      <RisingLine points={points} asset={asset} />
      {last && <a href={linkTo('payments', last.traceId)}>The latest request</a>}
    </>
  );
}
