import { jsonAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';

/** Tells that experimental routes exist; without `EnableExperimentalAPI` it does not exist itself. */
export function experimentalRoutes({ experimentalApi }: { readonly experimentalApi: boolean }): Route[] {
  if (!experimentalApi) return [];
  return [
    route({
      method: 'GET',
      path: '/v2/experimental',
      summary: 'True: the experimental routes are on.',
      handle: () => jsonAnswer(true),
    }),
  ];
}
