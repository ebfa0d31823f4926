import { pairTests } from './pairs.ts';

pairTests('resend');
