import { pairTests } from './pairs.ts';

pairTests('smtp');
