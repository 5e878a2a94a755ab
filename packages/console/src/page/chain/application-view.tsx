import { useAnswer } from '../ask.ts';
import { Address } from '../parts/address.tsx';
import { Facts } from '../parts/facts.tsx';
import { Shown } from '../parts/notice.tsx';
import type { Route } from '../route.ts';

interface ApplicationAnswer {
  readonly id: number;
  readonly params: {
    readonly creator: string;
    readonly version?: number;
    readonly 'approval-program': string;
    readonly 'clear-state-program': string;
    readonly 'global-state'?: readonly unknown[];
  };
}

/** The number of bytes in a base64 text. */
const sizeOf = (base64: string): number => atob(base64).length;

export function ApplicationView({ route: { id } }: { readonly route: Route }) {
  const asked = useAnswer<ApplicationAnswer>(`/api/node/applications/${encodeURIComponent(id)}`);
  return (
    <>
      <h1>Application {id}</h1>
      <Shown asked={asked}>
        {({ params }) => (
          <Facts
            of={{
              Creator: <Address of={params.creator} />,
              'Approval program': `${sizeOf(params['approval-program'])} bytes`,
              'Clear state program': `${sizeOf(params['clear-state-program'])} bytes`,
              'Global state': `${params['global-state']?.length ?? 0} values`,
            }}
          />
        )}
      </Shown>
    </>
  );
}
