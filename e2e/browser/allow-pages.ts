import type { RequestHandler } from 'express';

/** Lets pages of every origin send payments, as docs/client.md asks of a resource. */
export const allowPages: RequestHandler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Headers', 'PAYMENT-SIGNATURE, Content-Type');
  if (request.method === 'OPTIONS') response.sendStatus(204);
  else next();
};
