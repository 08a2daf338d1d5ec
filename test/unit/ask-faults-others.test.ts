import { describe } from 'vitest';
import { leaderOf } from '../cases/ask-fault-row.ts';
import { askFaultSuite } from '../cases/ask-fault-suite.ts';

describe('every fault, asked where Kimi, OpenRouter or a server of one’s own leads', () => {
  askFaultSuite((chain) => leaderOf(chain) !== 'glm');
});
