yaw=-1.02;pitch=.42;
let which=0;
const pose=(c,t)=>{
  let l=c.map(x=>x.slice());
  for(let n=l.length-1;n>0;n--)for(let i=0;i<n;i++)l[i]=l[i].map((x,k)=>(1-t)*x+t*l[i+1][k]);
  return l[0].map(x=>x/l[0][0]);
};
const put=(m,p)=>[0,1,2].map(i=>m[1+3*i]*p[0]+m[2+3*i]*p[1]+m[3+3*i]*p[2]+m[10+i]);
const quads=[[0,4,6,2],[1,3,7,5],[0,1,5,4],[2,6,7,3],[0,2,3,1],[4,5,7,6]];
const corners=b=>[...Array(8).keys()].map(i=>[0,1,2].map(k=>(i>>k&1)?b[3+k]:b[k]));
function tightest(run,t,m){
  let best=null;
  for(const c of run.cells){
    if(c.length<13||t<c[0]||t>c[1])continue;
    const s=c[1]>c[0]?(t-c[0])/(c[1]-c[0]):0;
    const n=unit([0,1,2].map(k=>(1-s)*c[6+k]+s*c[9+k]));
    let a=-1e9,b=1e9;
    for(let i=c[2];i<c[3];i++)for(const v of corners(cell.tool[run.a[i]]))a=Math.max(a,dot(n,put(m,v)));
    for(let i=c[4];i<c[5];i++)for(const v of corners(cell.vice[run.b[i]]))b=Math.min(b,dot(n,v));
    if(!best||b-a<best.gap)best={
      n,gap:b-a,middle:(a+b)/2,bound:c[12]
    };
  }
  return best;
}
function draw(t){
  const run=cell.runs[which],m=pose(run.controls,t),look=looking([0,0,.5],4.6,1000),faces=[];
  const add=(b,place,color)=>{
    const v=corners(b).map(place);
    for(const q of quads)for(const f of [[0,1,2],[0,2,3]])faces.push([f.map(i=>v[q[i]]),color]);
  };
  for(const b of cell.vice)add(b,p=>p,[115,140,168]);
  for(const b of cell.tool)add(b,p=>put(m,p),[238,140,40]);
  const g=paint(faces,look,false,[.3,-.5,.8]);
  const gap=run.open.some(o=>t>=o[0]&&t<=o[1]),best=gap?null:tightest(run,t,m);
  if(best){
    const tip=put(m,[0,0,-.3]),away=dot(best.n,tip)-best.middle,o=tip.map((x,i)=>x-away*best.n[i]),e=unit(cross(best.n,Math.abs(best.n[2])<.7?[0,0,1]:[1,0,0])),f=cross(best.n,e);
    g.strokeStyle='#1c9a3e';
    g.lineWidth=4;
    g.beginPath();
    [[1,1],[1,-1],[-1,-1],[-1,1],[1,1]].forEach((c,i)=>{const q=look(o.map((x,k)=>x+.42*(c[0]*e[k]+c[1]*f[k])));i?g.lineTo(q[0],q[1]):g.moveTo(q[0],q[1]);});
    g.stroke();
  }
  document.getElementById('said').textContent=`t = ${t.toFixed(3)} s. `+(gap?'No proof here: tool and vice come within the tolerance, or touch.':`Across the tightest plane: ${(1e3*best.gap).toFixed(1)} mm now, ${(1e3*best.bound).toFixed(1)} mm or more during its whole cell.`);
  const h=plot.getContext('2d');
  h.clearRect(0,0,1000,250);
  for(const c of run.cells)for(let i=c[2];i<c[3];i++)for(let j=c[4];j<c[5];j++){
    const y=20*(4*run.a[i]+run.b[j]),s=Math.min(1,Math.max(0,Math.log10(1e3*c[12])/3));
    h.fillStyle=c.length<13?'#cd2d28':`rgb(${190-150*s},${228-90*s},${185-125*s})`;
    h.fillRect(1000*c[0]+.5,y+1,Math.max(1,1000*(c[1]-c[0])-.7),18);
  }
  h.fillStyle='#1e242c';
  h.font='11px sans-serif';
  ['tongue','crossbar','spindle'].forEach((a,i)=>['left jaw','right jaw','bed','screw'].forEach((b,j)=>h.fillText(a+', '+b,6,20*(4*i+j)+14)));
  h.fillStyle='#285aa0';
  h.fillRect(1000*t-1,0,2,250);
  [0,1].forEach(k=>document.getElementById('b'+k).className=k===which?'on':'');
}
[0,1].forEach(k=>document.getElementById('b'+k).onclick=()=>{which=k;draw(now());});
