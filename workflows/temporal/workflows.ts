// Every workflow of Lectern: what the bundle is made of.
export { drop, recrawl, removeOrphans, scheduledSync, sweep } from './background-workflows.ts'
export { sync } from './sync-workflow.ts'
