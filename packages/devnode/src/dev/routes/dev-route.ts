import { formatAddress } from '@avm402/algorand/address';
import { pathAddress, type Parameter, type Parameters } from '../../rest/parameter.ts';
import { route, type Route, type RouteDeclaration } from '../../rest/route.ts';

/** A route of the developer controls: with the token, for programs on this machine only. */
export function devRoute<const P extends Parameters>(declared: Omit<RouteDeclaration<P>, 'access'>): Route {
  return route({ ...declared, access: 'loopback' });
}

const anAddress = pathAddress();

/** An account in the path, as text that is known to be an address. */
export const account: Parameter<string> = {
  ...anAddress,
  bind: (name, values) => formatAddress(anAddress.bind(name, values)),
};
