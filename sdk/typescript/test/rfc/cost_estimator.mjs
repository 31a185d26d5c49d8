/** @param {string} _type @param {any} after */
const estimateCost = async (_type, after) => ({ monthly: after.price });
/** @param {any[]} resources @returns {number} */
const calculateTotalCost = (resources) => resources.reduce((sum, { after }) => sum + after.price, 0);

import { MiddlewareServer, StdioTransport } from '@tenon/sdk';

const server = new MiddlewareServer({
  name: "cost-estimator",
  version: "1.0.0"
});

server
  .postPlan(async (params) => {
    const cost = await estimateCost(params.resource_type, params.after);
    return {
      status: cost.monthly > 1000 ? "fail" : "success",
      message: `Estimated cost: $${cost.monthly}/month`,
      metadata: { estimated_cost: cost }
    };
  })
  .planStageCompleted(async (params) => {
    const totalCost = calculateTotalCost(params.resources);
    return {
      status: totalCost > 5000 ? "fail" : "pass",
      message: `Total plan cost: $${totalCost}/month`
    };
  });

await new StdioTransport().connect(server);
