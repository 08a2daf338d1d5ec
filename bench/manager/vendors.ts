// The vendors in a process of their own, so that what they cost falls on nobody's bill.
import { startEmulator } from '../../emulator/start.ts';

const { url } = await startEmulator();
console.log(`listening on ${url}`);
