import { type AlgorandError, isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error } from '@avm402/core/errors';
import { DevnodeError } from '@avm402/devnode';
import type { ErrorRequestHandler } from 'express';
import * as z from 'zod';

/** An error as the page receives it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** The fix, if the catalogue has one. */
  readonly remedy?: string;
}

const BAD_REQUEST = 400;
const BAD_GATEWAY = 502;

/** Answers with the problem; errors of the console's own are written to standard error. */
export const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { status, problem } = problemOf(error);
  if (status >= 500 && status !== BAD_GATEWAY) console.error(error);
  response.status(status).json(problem);
};

function problemOf(error: unknown): { readonly status: number; readonly problem: Problem } {
  if (error instanceof z.ZodError) {
    const message = error.issues.map(({ path, message: text }) => `${path.join('.')} ${text}`.trim()).join('; ');
    return { status: BAD_REQUEST, problem: { code: 'invalid_request', message } };
  }
  if (error instanceof DevnodeError) {
    const status = error.code === 'unreachable' || error.status >= 500 ? BAD_GATEWAY : error.status;
    return { status, problem: { code: error.code, message: error.message } };
  }
  if (isX402Error(error)) {
    const { code, message, remedy } = error;
    return { status: BAD_GATEWAY, problem: { code, message, remedy } };
  }
  if (isAlgorandError(error)) return problemOfNode(error);
  const status = isHttpError(error) ? error.status : 500;
  return {
    status,
    problem: { code: status < 500 ? 'invalid_request' : 'internal', message: messageOf(error, status) },
  };
}

/** The node refuses what the page asks for; in any other way it fails, or refuses the console. */
function problemOfNode({ code, status, message }: AlgorandError) {
  const isRefusal = code === 'algod_refused' && status === BAD_REQUEST;
  return { status: isRefusal ? BAD_REQUEST : BAD_GATEWAY, problem: { code, message } };
}

/** An error as body-parser throws it. */
function isHttpError(error: unknown): error is Error & { readonly status: number } {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}

function messageOf(error: unknown, status: number): string {
  return status < 500 && error instanceof Error ? error.message : 'internal error; see the console’s terminal';
}
