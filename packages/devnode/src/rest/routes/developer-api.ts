import { textAnswer, type Answer } from '../answer.ts';

/** algod's answer on a route that needs `EnableDeveloperAPI` while that is off. */
export function developerApiIsOff(path: string): Answer {
  return textAnswer(404, `${path} was not enabled in the configuration file by setting the EnableDeveloperAPI to true`);
}
