import { jsonAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';

/** Answers that experimental routes exist; without `EnableExperimentalAPI`, the route itself does not exist. */
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
