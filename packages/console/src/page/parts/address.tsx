import { useConstant } from '../ask.ts';
import { linkTo } from '../route.ts';

/** Names of development accounts, by address. */
export type Names = Readonly<Record<string, string>>;

/** The name of a development account; any other text has none. */
export function useName(address: string): string | undefined {
  const names = useConstant<Names>('/api/names') ?? {};
  return Object.hasOwn(names, address) ? names[address] : undefined;
}

/** A link to an account, shown by its name or, if it has none, by the two ends of its address. */
export function Address({ address }: { readonly address: string }) {
  const name = useName(address);
  return (
    <a href={linkTo('accounts', address)} title={address} class="code">
      {name ?? shortened(address)}
    </a>
  );
}

export function isTransactionId(text: string): boolean {
  return /^[A-Z2-7]{52}$/.test(text);
}

export function TransactionLink({ id }: { readonly id: string }) {
  return (
    <a href={linkTo('transactions', id)} title={id} class="code">
      {shortened(id)}
    </a>
  );
}

/** An id that leads nowhere. */
export function ShortenedId({ id }: { readonly id: string }) {
  return <code title={id}>{shortened(id)}</code>;
}

function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-4)}`;
}
