import { describe } from 'vitest';
import { gatewayFaultSuite } from '../cases/gateway-fault-suite.ts';

describe('every fault, seen by a client of Anthropic’s API', () => {
  gatewayFaultSuite('anthropic');
});
