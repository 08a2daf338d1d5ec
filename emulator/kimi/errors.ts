import type { Headers } from '../vendor.ts';

/** Thrown wherever a request is found wanting; the vendor's handler answers with it. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;

  constructor(status: number, type: string, message: string, headers: Headers = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.headers = headers;
  }

  body(): object {
    return { error: { message: this.message, type: this.type } };
  }
}

export const invalid = (message: string): Refusal =>
  new Refusal(400, 'invalid_request_error', message);

export const noModel = (model: string): Refusal =>
  new Refusal(404, 'resource_not_found_error', `Not found the model ${model} or Permission denied`);

export const noFile = (id: string): Refusal =>
  new Refusal(404, 'resource_not_found_error', `file ${id} not found`);

export const noPath = (): Refusal =>
  new Refusal(404, 'resource_not_found_error', 'The requested resource was not found');

export const overloaded = (): Refusal =>
  new Refusal(
    429,
    'engine_overloaded_error',
    'The engine is currently overloaded, please try again later',
    retryHints(1),
  );

export const noBalance = (): Refusal =>
  new Refusal(
    429,
    'exceeded_current_quota_error',
    'Your account is suspended due to insufficient balance, please recharge your account or check your plan and billing details',
  );

export const highRisk = (): Refusal =>
  new Refusal(
    400,
    'content_filter',
    'The request was rejected because it was considered high risk',
  );

export const rateLimited = (message: string, seconds: number): Refusal =>
  new Refusal(429, 'rate_limit_reached_error', message, retryHints(seconds));

export const retryHints = (seconds: number): Headers => ({
  'retry-after': String(seconds),
  'x-retry-after': String(seconds),
});
