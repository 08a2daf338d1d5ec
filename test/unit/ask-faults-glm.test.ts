import { describe } from 'vitest';
import { leaderOf } from '../cases/ask-fault-row.ts';
import { askFaultSuite } from '../cases/ask-fault-suite.ts';

describe('every fault, asked where GLM leads', () => {
  askFaultSuite((chain) => leaderOf(chain) === 'glm');
});
